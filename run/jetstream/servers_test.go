package main

import (
	"encoding/json"
	"io"
	"net"
	"net/url"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
)

// isServer is set, to a member, for the processes in which this test binary is a server.
const isServer = "TRIBUNAL_JETSTREAM_SERVER"

// member is a server of a cluster, in a process of its own.
type member struct {
	Name, Store string
	Port        int // of the cluster
	Routes      []string
	URL         string `json:"-"`
	cmd         *exec.Cmd
}

// serveForever is the main function of a member. It prints its address, and ends when
// its standard input does, or as something kills it.
func serveForever(said string) {
	var m member
	if err := json.Unmarshal([]byte(said), &m); err != nil {
		panic(err)
	}
	o := &server.Options{ServerName: m.Name, JetStream: true, StoreDir: m.Store, Host: "127.0.0.1", Port: server.RANDOM_PORT, NoLog: true, NoSigs: true,
		Cluster: server.ClusterOpts{Name: "c", Host: "127.0.0.1", Port: m.Port}}
	for _, route := range m.Routes {
		u, _ := url.Parse(route)
		o.Routes = append(o.Routes, u)
	}
	s, err := server.NewServer(o)
	if err != nil {
		panic(err)
	}
	s.Start()
	for tries := 0; s.Addr() == nil || s.ClusterAddr() == nil; tries++ {
		if tries > 10000 { // another program has taken the port
			os.Exit(1)
		}
		time.Sleep(time.Millisecond)
	}
	os.Stdout.WriteString(s.ClientURL() + "\n")
	_, _ = io.Copy(io.Discard, os.Stdin)
}

// cluster starts three servers, on other ports where another program took one that was
// found free.
func cluster(t *testing.T) []*member {
	t.Helper()
	for range 5 {
		if members, up := tryCluster(t); up {
			return members
		}
	}
	t.Fatal("no cluster could be started")
	return nil
}

func tryCluster(t *testing.T) (members []*member, up bool) {
	t.Helper()
	const servers = 3
	var routes []string
	var held []net.Listener
	for range servers { // all are held until all are found, so that they differ
		l := must(net.Listen("tcp", "127.0.0.1:0"))(t)
		held = append(held, l)
		routes = append(routes, "nats://"+l.Addr().String())
		members = append(members, &member{Name: string(rune('a' + len(members))), Store: t.TempDir(), Port: l.Addr().(*net.TCPAddr).Port})
	}
	for i, m := range members {
		m.Routes = routes
		_ = held[i].Close()
		if !m.start(t) {
			return nil, false
		}
	}
	return members, true
}

func (m *member) start(t *testing.T) (up bool) {
	t.Helper()
	self := must(os.Executable())(t)
	said, _ := json.Marshal(m)
	m.cmd = exec.Command(self)
	m.cmd.Env, m.cmd.Stderr = append(os.Environ(), isServer+"="+string(said)), os.Stderr
	stdin, inErr := m.cmd.StdinPipe()
	stdout, outErr := m.cmd.StdoutPipe()
	if inErr != nil || outErr != nil || m.cmd.Start() != nil {
		t.Fatal("a server does not start")
	}
	t.Cleanup(func() {
		_ = stdin.Close()
		_ = m.cmd.Process.Kill()
		_ = m.cmd.Wait()
	})
	address := make([]byte, 100)
	n, err := stdout.Read(address) // one line, written at once
	m.URL = strings.TrimSpace(string(address[:n]))
	return err == nil
}

// relay is a link to a server that can be cut, at an address that stays.
type relay struct {
	listener net.Listener
	mu       sync.Mutex
	to       string // the server, "" where the link is cut
	open     []net.Conn
}

func newRelay(t *testing.T) *relay {
	t.Helper()
	l := must(net.Listen("tcp", "127.0.0.1:0"))(t)
	r := &relay{listener: l}
	t.Cleanup(func() {
		_ = l.Close()
		r.link("")
	})
	go r.accept()
	return r
}

func (r *relay) url() string { return "nats://" + r.listener.Addr().String() }

// link leads to another server from now on.
func (r *relay) link(to string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.to = to
	for _, c := range r.open {
		_ = c.Close()
	}
	r.open = nil
}

func (r *relay) accept() {
	for {
		in, err := r.listener.Accept()
		if err != nil {
			return
		}
		r.mu.Lock()
		out, err := net.Dial("tcp", r.to)
		if r.to == "" || err != nil {
			_ = in.Close()
		} else {
			r.open = append(r.open, in, out)
			go pipe(in, out)
			go pipe(out, in)
		}
		r.mu.Unlock()
	}
}

func pipe(to, from net.Conn) {
	_, _ = io.Copy(to, from)
	_ = to.Close()
}
