package main

import (
	"encoding/json"
	"fmt"
	"io"
	"math/rand"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"
)

// settings are what /__config may change while the shaper runs.
type settings struct {
	Latency    time.Duration
	Bandwidth  float64
	PerConn    float64
	MaxConns   int
	FaultRate  float64
	FaultKinds []string
	FaultMatch *regexp.Regexp
	FaultLimit int // < 0: none
}

// connection is one client's TCP connection and its share of the pace.
type connection struct {
	tcp  *corked
	pipe pipe
	gen  int64
}

type proxy struct {
	upstream *url.URL
	function *url.URL // nil: none
	kept     upstreams
	client   *http.Transport // for what kept does not send
	counter  *counter
	shared   pipe

	mu    sync.Mutex
	set   settings
	dice  *rand.Rand
	slots chan struct{} // nil: no limit
}

func newProxy(upstream *url.URL, c *counter) *proxy {
	return &proxy{upstream: upstream, counter: c, dice: rand.New(rand.NewSource(1)), set: settings{FaultLimit: -1},
		client: &http.Transport{DisableKeepAlives: true, DisableCompression: true, WriteBufferSize: 64 << 10, ReadBufferSize: 64 << 10}}
}

func underscored(s string) string { return strings.ReplaceAll(s, "-", "_") }

// longestCall bounds the calls of a slice function that are kept to be sent again.
const longestCall = 1 << 20

var faultKinds = []string{"503", "500", "reset", "truncate", "slow", "stall", "lost", "corrupt"}

func (p *proxy) configure(q url.Values) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	next, dice, slots := p.set, p.dice, p.slots
	for key := range q {
		v, err := q.Get(key), error(nil)
		switch underscored(key) {
		case "latency":
			next.Latency, err = time.ParseDuration(v)
		case "bandwidth":
			next.Bandwidth, err = parseRate(v)
		case "per_conn_bandwidth":
			next.PerConn, err = parseRate(v)
		case "max_conns":
			next.MaxConns, err = strconv.Atoi(v)
			slots = nil
			if next.MaxConns > 0 {
				slots = make(chan struct{}, next.MaxConns)
			}
		case "fault_rate":
			next.FaultRate, err = strconv.ParseFloat(v, 64)
		case "fault_kinds":
			next.FaultKinds = nil
			for _, k := range strings.FieldsFunc(v, func(r rune) bool { return r == ',' }) {
				if !strings.Contains(","+strings.Join(faultKinds, ",")+",", ","+k+",") {
					err = fmt.Errorf("unknown fault kind %q, one of %v", k, faultKinds)
				}
				next.FaultKinds = append(next.FaultKinds, k)
			}
		case "fault_match":
			next.FaultMatch = nil
			if v != "" {
				next.FaultMatch, err = regexp.Compile(v)
			}
		case "fault_limit":
			next.FaultLimit, err = strconv.Atoi(v)
		case "seed":
			var seed int64
			seed, err = strconv.ParseInt(v, 10, 64)
			dice = rand.New(rand.NewSource(seed))
		default:
			err = fmt.Errorf("unknown setting")
		}
		if err != nil {
			return fmt.Errorf("%s=%s: %v", key, v, err)
		}
	}
	p.set, p.dice, p.slots = next, dice, slots
	return nil
}

// throw decides whether this request fails, and how.
func (p *proxy) throw(r *http.Request) (settings, chan struct{}, string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	s := p.set
	if s.FaultRate <= 0 || len(s.FaultKinds) == 0 || s.FaultLimit == 0 ||
		s.FaultMatch != nil && !s.FaultMatch.MatchString(r.Method+" "+r.RequestURI) || p.dice.Float64() >= s.FaultRate {
		return s, p.slots, ""
	}
	if p.set.FaultLimit > 0 {
		p.set.FaultLimit--
	}
	return s, p.slots, s.FaultKinds[p.dice.Intn(len(s.FaultKinds))]
}

func (p *proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if strings.HasPrefix(r.URL.Path, "/__") && p.control(w, r) {
		return
	}
	set, slots, fault := p.throw(r)
	if slots != nil {
		slots <- struct{}{}
		defer func() { <-slots }()
	}
	conn, _ := r.Context().Value(connKey{}).(*connection)
	e := p.counter.begin(r, conn)
	e.Fault = fault
	defer p.counter.end(e)
	due := time.Now().Add(set.Latency)
	if fault == "slow" {
		due = time.Now().Add(max(time.Second, 20*set.Latency))
	}
	switch fault {
	case "503", "500":
		time.Sleep(time.Until(due))
		e.Status, _ = strconv.Atoi(fault)
		code := map[string]string{"503": "SlowDown", "500": "InternalError"}[fault]
		w.Header().Set("Content-Type", "application/xml")
		w.WriteHeader(e.Status)
		if r.Method != http.MethodHead {
			n, _ := fmt.Fprintf(w, "<?xml version=\"1.0\"?><Error><Code>%s</Code><Message>injected by the shaper</Message></Error>", code)
			e.Bytes = int64(n)
		}
	case "reset":
		time.Sleep(time.Until(due))
		cut(conn)
	case "stall":
		select {
		case <-r.Context().Done():
		case <-time.After(30 * time.Second):
		}
		cut(conn)
	default:
		p.forward(w, r, conn, set, due, e)
	}
}

// cut ends the connection with an RST and leaves the handler.
func cut(c *connection) {
	if c != nil {
		if tcp, ok := c.tcp.Conn.(*net.TCPConn); ok {
			tcp.SetLinger(0)
		}
	}
	panic(http.ErrAbortHandler)
}

func (p *proxy) forward(w http.ResponseWriter, r *http.Request, conn *connection, set settings, due time.Time, e *entry) {
	body := &counting{Reader: r.Body}
	defer func() { e.BytesIn = body.n }()
	path, _, _ := strings.Cut(r.RequestURI, "?")
	upstream, isCall := p.upstream, false
	if p.function != nil && path == "/slice" {
		upstream, isCall = p.function, true
	}
	var resp *http.Response
	var err error
	if upstream.Scheme == "http" && (r.ContentLength == 0 || isCall && r.ContentLength > 0 && r.ContentLength <= longestCall) {
		// Calls only read: they may be sent again, should a kept connection turn out to be closed.
		content := make([]byte, r.ContentLength)
		if _, err = io.ReadFull(body, content); err == nil {
			resp, err = p.kept.roundTrip(r, upstream.Host, path, content)
		}
	} else {
		resp, err = p.client.RoundTrip(request(r, upstream, path, body))
	}
	if err != nil {
		e.Status = http.StatusBadGateway
		http.Error(w, "shaper: "+err.Error(), http.StatusBadGateway)
		return
	}
	defer resp.Body.Close()
	time.Sleep(time.Until(due))
	if e.Fault == "lost" {
		cut(conn)
	}
	e.Status = resp.StatusCode
	for k, v := range resp.Header {
		if k != "Connection" && k != "Keep-Alive" { // hop by hop: the client's connection is ours to keep open
			w.Header()[k] = v
		}
	}
	if resp.ContentLength >= 0 {
		w.Header().Set("Content-Length", strconv.FormatInt(resp.ContentLength, 10))
	}
	w.WriteHeader(resp.StatusCode)
	p.stream(w, resp, conn, set, e)
}

// request is what the client asked, once more; over a connection of its own, for its body cannot be sent again.
func request(r *http.Request, upstream *url.URL, path string, body io.Reader) *http.Request {
	out := (&http.Request{Method: r.Method, Host: r.Host, Header: r.Header.Clone(), ContentLength: r.ContentLength, Body: io.NopCloser(body),
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		URL: &url.URL{Scheme: upstream.Scheme, Host: upstream.Host, Opaque: path, RawQuery: r.URL.RawQuery}}).WithContext(r.Context())
	if r.ContentLength == 0 {
		out.Body = http.NoBody
	}
	if _, sent := out.Header["User-Agent"]; !sent {
		out.Header["User-Agent"] = []string{""} // keep the transport from adding its own
	}
	return out
}

func (p *proxy) stream(w io.Writer, resp *http.Response, conn *connection, set settings, e *entry) {
	stopAt := int64(-1)
	if e.Fault == "truncate" && resp.ContentLength > 1 {
		stopAt = resp.ContentLength / 2
	}
	corrupt := e.Fault == "corrupt"
	p.shared.open()
	defer p.shared.close()
	if conn != nil {
		conn.pipe.open()
		defer conn.pipe.close()
	}
	pooled := buffers.Get().(*[32 << 10]byte)
	defer buffers.Put(pooled)
	buf := pooled[:]
	for {
		n, err := resp.Body.Read(buf)
		if n > 0 {
			part := buf[:n]
			if stopAt >= 0 && e.Bytes+int64(n) > stopAt {
				part = buf[:stopAt-e.Bytes]
			}
			if corrupt {
				part[len(part)/2] ^= 0x10
				corrupt = false
			}
			at := p.shared.reserve(len(part), set.Bandwidth)
			if conn != nil {
				if own := conn.pipe.reserve(len(part), set.PerConn); own.After(at) {
					at = own
				}
			}
			if wait := time.Until(at); !at.IsZero() && wait > 500*time.Microsecond {
				time.Sleep(wait)
			}
			written, werr := write(w, conn, part)
			e.Bytes += int64(written)
			if stopAt >= 0 && e.Bytes >= stopAt {
				if f, ok := w.(http.Flusher); ok {
					f.Flush()
				}
				panic(http.ErrAbortHandler)
			}
			if werr != nil {
				return
			}
		}
		if err == io.EOF {
			return
		}
		if err != nil {
			panic(http.ErrAbortHandler) // the store broke off: so do we
		}
	}
}

var buffers = sync.Pool{New: func() any { return new([32 << 10]byte) }}

func write(w io.Writer, conn *connection, part []byte) (int, error) {
	if conn == nil {
		return w.Write(part)
	}
	return conn.tcp.together(func() (int, error) { return w.Write(part) })
}

func (p *proxy) control(w http.ResponseWriter, r *http.Request) bool {
	w.Header().Set("Content-Type", "application/json")
	switch r.URL.Path {
	case "/__stats":
		p.counter.settle()
		p.counter.writeStats(w)
	case "/__log":
		p.counter.writeLog(w)
	case "/__reset":
		p.counter.settle()
		p.counter.reset()
		fmt.Fprintln(w, "{}")
	case "/__config":
		if r.Method == http.MethodPost {
			if err := p.configure(r.URL.Query()); err != nil {
				http.Error(w, err.Error(), http.StatusBadRequest)
				return true
			}
		}
		p.mu.Lock()
		defer p.mu.Unlock()
		s := p.set
		match := ""
		if s.FaultMatch != nil {
			match = s.FaultMatch.String()
		}
		json.NewEncoder(w).Encode(map[string]any{"latency": s.Latency.String(), "bandwidth": s.Bandwidth, "per_conn_bandwidth": s.PerConn,
			"max_conns": s.MaxConns, "fault_rate": s.FaultRate, "fault_kinds": s.FaultKinds, "fault_match": match, "fault_limit": s.FaultLimit})
	default:
		return false
	}
	return true
}
