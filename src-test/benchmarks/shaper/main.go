// Shaper is a counting, shaping and fault-injecting HTTP front for an S3 server under test.
//
// It forwards each request unchanged (raw path, Host and all headers, so SigV4 signatures still verify), delays the
// first byte of the response, paces response bodies by a shared and a per-connection rate, and counts what passed.
//
//	go build && ./shaper -listen 127.0.0.1:9201 -upstream http://127.0.0.1:9200 \
//	    -latency 20ms -bandwidth 200MB/s -per-conn-bandwidth 60MB/s -max-conns 256 -log requests.jsonl
//
//	GET  /__stats     totals since the last reset, as JSON, once nothing is in flight (waits 1 s at most)
//	GET  /__log       one JSON line a request since the last reset (the newest 100 000)
//	POST /__reset     zero the totals and the log
//	GET  /__config    the settings now
//	POST /__config?latency=90ms&bandwidth=20MB/s&per_conn_bandwidth=0&max_conns=64&
//	     fault_rate=0.01&fault_kinds=503,reset,truncate&fault_match=GET+.*/c/&fault_limit=3&seed=7
//
// Rates are 10^6 bytes a second for "MB/s", 2^20 for "MiB/s", plain bytes a second without a unit; 0 is no limit.
//
// Fault kinds: 503 (SlowDown), 500, reset (TCP RST before any answer), truncate (half the body, then a cut), slow (the
// first byte comes after a second or 20 latencies, whichever is more), stall (no answer for 30 s), lost (the store does the request, the answer is lost: the case that breaks naive
// conditional PUTs), corrupt (one byte of the body flipped, lengths intact).
package main

import (
	"context"
	"flag"
	"log"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/signal"
	"syscall"
)

type connKey struct{}

func main() {
	listen := flag.String("listen", "127.0.0.1:9201", "loopback address to listen on")
	upstream := flag.String("upstream", "http://127.0.0.1:9200", "the S3 server")
	function := flag.String("function", "", "a slice function that answers /slice behind the same shaped network")
	logPath := flag.String("log", "", "append one JSON line a request to this file")
	initial := url.Values{}
	for _, f := range [][2]string{
		{"latency", "delay before the first byte of each response, e.g. 20ms"},
		{"bandwidth", "rate shared by all response bodies, e.g. 200MB/s"},
		{"per-conn-bandwidth", "rate of one connection's response bodies"},
		{"max-conns", "requests under way at once; later ones queue before their latency starts"},
		{"fault-rate", "share of requests that fail"},
		{"fault-kinds", "comma list of 503,500,reset,truncate,stall,lost,corrupt"},
		{"fault-match", "regexp over \"METHOD /path?query\" that a failing request must match"},
		{"fault-limit", "stop after this many faults"},
		{"seed", "seed of the fault dice"},
	} {
		name := f[0]
		flag.Func(name, f[1], func(v string) error { initial.Set(underscored(name), v); return nil })
	}
	flag.Parse()

	host, _, err := net.SplitHostPort(*listen)
	if ip := net.ParseIP(host); err != nil || ip == nil || !ip.IsLoopback() {
		log.Fatalf("-listen %s: loopback addresses only", *listen)
	}
	up, err := url.Parse(*upstream)
	if err != nil || up.Host == "" {
		log.Fatalf("-upstream %s: not a URL", *upstream)
	}
	counter, err := newCounter(*logPath)
	if err != nil {
		log.Fatal(err)
	}
	p := newProxy(up, counter)
	if *function != "" {
		if p.function, err = url.Parse(*function); err != nil || p.function.Host == "" {
			log.Fatalf("-function %s: not a URL", *function)
		}
	}
	if err := p.configure(initial); err != nil {
		log.Fatal(err)
	}
	server := &http.Server{Addr: *listen, Handler: p, ErrorLog: log.New(discard{}, "", 0),
		ConnContext: func(ctx context.Context, c net.Conn) context.Context {
			own, _ := c.(*corked)
			return context.WithValue(ctx, connKey{}, &connection{tcp: own})
		}}
	stop := make(chan os.Signal, 1)
	signal.Notify(stop, syscall.SIGINT, syscall.SIGTERM)
	go func() { <-stop; server.Close() }()
	log.Printf("shaper %s -> %s", *listen, *upstream)
	listener, err := net.Listen("tcp", *listen)
	if err != nil {
		log.Fatal(err)
	}
	err = server.Serve(corkedListener{listener})
	counter.close()
	if err != http.ErrServerClosed {
		log.Fatal(err)
	}
}

type discard struct{}

func (discard) Write(p []byte) (int, error) { return len(p), nil }
