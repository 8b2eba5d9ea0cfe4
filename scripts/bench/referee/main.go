// Command referee holds the program to the error rates it promises. It simulates runs
// whose truth is known, seeded, hands them to the command line as a user would, and
// counts how often the answer is wrong. It ends with 1 where a promise does not hold.
package main

import (
	"flag"
	"fmt"
	"hash/fnv"
	"log"
	"math"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
)

// promise is a situation, and what is claimed of answers in it.
type promise struct {
	situation string
	claims    []claim
	try       func(*world) *tally
}

// claim is what an answer may do wrong, and how often at most.
type claim struct {
	wrong string
	most  float64
}

// tally counts answers, and those that break each claim.
type tally struct {
	wrong []int
	of    int
}

func (t *tally) add(wrong ...bool) {
	if t.wrong == nil {
		t.wrong = make([]int, len(wrong))
	}
	for i, w := range wrong {
		if w {
			t.wrong[i]++
		}
	}
	t.of++
}

// line is a claim's line of the table, which says so if the claim is broken. It holds
// within three standard errors of the simulation. A first line says how many there are.
func (c claim) line(situation string, wrong, of int) (line string, holds bool) {
	rate := float64(wrong) / float64(of)
	measured := fmt.Sprintf("%.4f", rate)
	if situation != same {
		measured += fmt.Sprintf(" of %d", of)
	}
	holds = rate <= c.most+3*math.Sqrt(c.most*(1-c.most)/float64(of))
	if !holds {
		measured += ", **broken**"
	}
	return fmt.Sprintf("| %s | %s | %.3g | %s |\n", situation, c.wrong, c.most, measured), holds
}

// same is the situation of a promise's second and further lines.
const same = "same"

func main() {
	tribunal := flag.String("tribunal", "tribunal", "hold this `PROGRAM` to its promises")
	page := flag.String("write", "", "write the table into this `PAGE`, between the lines that mark its place")
	only := flag.String("only", "", "try only promises with this `TEXT` in them")
	scale := flag.Float64("scale", 1, "how many simulations, as a share of the full number")
	flag.Parse()
	lines, broken := try(*tribunal, *only, *scale)
	if *page != "" {
		if err := write(*page, strings.Join(lines, "")); err != nil {
			log.Fatalf("referee: writing the table: %v", err)
		}
	}
	if broken > 0 {
		log.Fatalf("referee: promises that do not hold: %d", broken)
	}
}

// try tries the promises side by side, and returns the lines of the table.
func try(tribunal, only string, scale float64) (lines []string, broken int) {
	byPromise := make([][]string, len(promises))
	var work sync.WaitGroup
	var one sync.Mutex
	free := make(chan bool, runtime.NumCPU())
	for i, p := range promises {
		if !strings.Contains(p.situation, only) {
			continue
		}
		work.Go(func() {
			free <- true
			sum := p.measure(tribunal, scale)
			<-free
			one.Lock()
			defer one.Unlock()
			for k, c := range p.claims {
				if c.most >= 1 { // nothing is claimed
					continue
				}
				situation := p.situation
				if len(byPromise[i]) > 0 {
					situation = same
				}
				line, holds := c.line(situation, sum.wrong[k], sum.of)
				if !holds {
					broken++
				}
				fmt.Print(line)
				byPromise[i] = append(byPromise[i], line)
			}
		})
	}
	work.Wait()
	return slices.Concat(byPromise...), broken
}

func (p promise) measure(tribunal string, scale float64) *tally {
	folder, err := os.MkdirTemp("", "referee")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(folder)
	seed := fnv.New64()
	fmt.Fprint(seed, p.situation)
	return p.try(&world{rand.New(rand.NewPCG(7, seed.Sum64())), tribunal, folder, scale})
}

// The lines between which the table stands on its page.
const begin, end = "<!-- measured -->\n", "<!-- end of measured -->"

const heading = "| situation | wrong answer | at most | measured |\n| --- | --- | ---: | ---: |\n"

func write(page, table string) error {
	text, err := os.ReadFile(page)
	if err != nil {
		return err
	}
	before, rest, begun := strings.Cut(string(text), begin)
	_, after, ended := strings.Cut(rest, end)
	if !begun || !ended {
		return fmt.Errorf("%s lacks the lines %s and %s, between which the table goes", page, strings.TrimSpace(begin), end)
	}
	return os.WriteFile(page, []byte(before+begin+heading+table+end+after), 0o644)
}
