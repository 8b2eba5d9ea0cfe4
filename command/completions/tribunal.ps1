# PowerShell completion for tribunal; the program itself knows the words.
Register-ArgumentCompleter -Native -CommandName tribunal -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)
    $words = @($commandAst.CommandElements | Where-Object { $_.Extent.EndOffset -lt $cursorPosition } | ForEach-Object {
        if ($_ -is [System.Management.Automation.Language.StringConstantExpressionAst]) { $_.Value } else { $_.Extent.Text }
    })
    $current = $wordToComplete.Trim("'", '"')
    # An empty last argument must arrive, which Windows PowerShell drops unless it is quoted.
    if ($current -eq '' -and $PSVersionTable.PSVersion -lt [version]'7.3') { $current = '""' }
    $rest = @($words | Select-Object -Skip 1) + $current
    & $words[0] __complete @rest 2>$null | ForEach-Object {
        $word, $doc = $_ -split "`t", 2
        $text = if ($word -match "[\s'`"``$]") { "'" + $word.Replace("'", "''") + "'" } else { $word }
        if (-not $doc) { $doc = $word }
        [System.Management.Automation.CompletionResult]::new($text, $word, 'ParameterValue', $doc)
    }
}
