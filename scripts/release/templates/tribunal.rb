class Tribunal < Formula
  desc "Decide whether a flaky test or an LLM agent passes, from repeated trials"
  homepage "{{.URL}}"
  version "{{.Version}}"
  license "MIT"
{{range .Targets}}{{if ne .OS "windows"}}
  on_{{if eq .OS "darwin"}}macos{{else}}linux{{end}} do
    on_{{if eq .Arch "arm64"}}arm{{else}}intel{{end}} do
      url "{{$.URL}}/{{.Archive}}"
      sha256 "{{.Sum}}"
    end
  end
{{end}}{{end}}
  def install
    bin.install "tribunal"
    man1.install "tribunal.1"
    bash_completion.install "completions/tribunal.bash" => "tribunal"
    zsh_completion.install "completions/_tribunal"
    fish_completion.install "completions/tribunal.fish"
  end

  test do
    system bin/"tribunal", "version"
  end
end
