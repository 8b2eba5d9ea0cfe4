package contract_test

import (
	"os"
	"strings"
	"testing"

	"tribunal/command"
)

// TestFormatsDocument: docs/formats.md holds the tables that the program prints.
func TestFormatsDocument(t *testing.T) {
	text, err := os.ReadFile("../docs/formats.md")
	if err != nil {
		t.Fatal(err)
	}
	for name, table := range map[string]string{"input": command.InputTable(), "output": command.OutputTable()} {
		if !strings.Contains(string(text), "\n\n"+table+"\n") && !strings.HasSuffix(string(text), "\n\n"+table) {
			t.Errorf("docs/formats.md does not hold the %s table of tribunal formats --markdown: put it there", name)
		}
	}
}
