package main

import "net"

// corked is a client's connection that can gather what is written to it: net/http writes the head of an answer with the
// first 4 KiB of its body, then the rest, and each write wakes the client once more. For one goroutine that writes.
type corked struct {
	net.Conn
	gathering bool
	gathered  []byte
}

func (c *corked) Write(p []byte) (int, error) {
	if !c.gathering {
		return c.Conn.Write(p)
	}
	c.gathered = append(c.gathered, p...)
	return len(p), nil
}

// together sends in one piece what write writes.
func (c *corked) together(write func() (int, error)) (int, error) {
	c.gathering = true
	written, err := write()
	c.gathering = false
	if len(c.gathered) > 0 {
		_, sent := c.Conn.Write(c.gathered)
		c.gathered = c.gathered[:0]
		if err == nil {
			err = sent
		}
	}
	return written, err
}

// CloseWrite tells the client that nothing more comes, as net/http wants it before it ends a connection.
func (c *corked) CloseWrite() error {
	if tcp, ok := c.Conn.(*net.TCPConn); ok {
		return tcp.CloseWrite()
	}
	return nil
}

// corkedListener accepts connections that can gather.
type corkedListener struct{ net.Listener }

func (l corkedListener) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return &corked{Conn: conn}, nil
}
