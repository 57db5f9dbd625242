package main

import (
	"bufio"
	"errors"
	"io"
	"net"
	"net/http"
	"sync"
	"time"
)

// idleConns is how many connections to a server are kept, keptFor how long an idle one is trusted to be still open.
const (
	idleConns = 1024
	keptFor   = 4 * time.Second
)

// upstreams sends requests on the goroutine that asks, over connections that are kept. The client of
// net/http hands each request to two goroutines of its connection: that took as much of the processors as all else here.
type upstreams struct {
	mu   sync.Mutex
	idle map[string][]*upstream // by address, the latest used last
}

// upstream is one connection to a server.
type upstream struct {
	net.Conn
	address string
	in      *bufio.Reader
	out     *bufio.Writer
	used    time.Time
}

// take gives a connection, and whether it was used before.
func (u *upstreams) take(address string) (*upstream, bool, error) {
	u.mu.Lock()
	for list := u.idle[address]; len(list) > 0; list = u.idle[address] {
		c := list[len(list)-1]
		u.idle[address] = list[:len(list)-1]
		if time.Since(c.used) < keptFor {
			u.mu.Unlock()
			return c, true, nil
		}
		c.Close()
	}
	u.mu.Unlock()
	conn, err := net.Dial("tcp", address)
	if err != nil {
		return nil, false, err
	}
	return &upstream{Conn: conn, address: address, in: bufio.NewReaderSize(conn, 64<<10), out: bufio.NewWriterSize(conn, 4<<10)}, false, nil
}

// keep takes back a connection whose answer was read to its end.
func (u *upstreams) keep(c *upstream) {
	c.used = time.Now()
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.idle == nil {
		u.idle = map[string][]*upstream{}
	}
	if len(u.idle[c.address]) >= idleConns {
		c.Close()
		return
	}
	u.idle[c.address] = append(u.idle[c.address], c)
}

var errStale = errors.New("the server closed a connection that was kept")

// roundTrip sends a request, headers as they came, and reads the head of the answer; closing its body gives the connection
// back. A kept connection that turns out to be closed is replaced: nothing of an answer has come over it, and what is
// sent here may be sent twice.
func (u *upstreams) roundTrip(r *http.Request, address, path string, content []byte) (*http.Response, error) {
	for {
		c, kept, err := u.take(address)
		if err != nil {
			return nil, err
		}
		resp, err := c.exchange(r, path, content)
		if err == nil {
			resp.Body = &answer{ReadCloser: resp.Body, from: u, over: c, ends: resp.Close}
			return resp, nil
		}
		c.Close()
		if !kept || !errors.Is(err, errStale) {
			return nil, err
		}
	}
}

// answer is the body of an answer; its connection is kept if it was read to its end.
type answer struct {
	io.ReadCloser
	from *upstreams
	over *upstream
	ends bool // the connection, after this answer
	read bool
}

func (a *answer) Read(p []byte) (int, error) {
	n, err := a.ReadCloser.Read(p)
	a.read = a.read || err == io.EOF
	return n, err
}

func (a *answer) Close() error {
	if a.read && !a.ends {
		a.from.keep(a.over)
		return nil
	}
	return a.over.Close()
}

func (c *upstream) exchange(r *http.Request, path string, content []byte) (*http.Response, error) {
	c.out.WriteString(r.Method)
	c.out.WriteByte(' ')
	c.out.WriteString(path)
	if r.URL.RawQuery != "" || r.URL.ForceQuery {
		c.out.WriteByte('?')
		c.out.WriteString(r.URL.RawQuery)
	}
	c.out.WriteString(" HTTP/1.1\r\nHost: ")
	c.out.WriteString(r.Host)
	c.out.WriteString("\r\n")
	r.Header.Write(c.out)
	c.out.WriteString("\r\n")
	c.out.Write(content)
	if err := c.out.Flush(); err != nil {
		return nil, errStale
	}
	if _, err := c.in.Peek(1); err != nil {
		return nil, errors.Join(errStale, err)
	}
	for {
		resp, err := http.ReadResponse(c.in, r)
		if err != nil || resp.StatusCode >= 200 {
			return resp, err
		}
	}
}
