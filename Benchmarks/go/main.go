// The small GET of the other clients, by Go's net/http.
//
//	bench-go TASKS REQUESTS PORT [CERTIFICATE http/1.1|h2]
//
// Prints processor time of a request (µs) and requests per second.
package main

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"strconv"
	"sync"
	"syscall"
	"time"
)

func main() {
	log.SetFlags(0)
	if len(os.Args) != 4 && len(os.Args) != 6 {
		log.Fatal("usage: bench-go TASKS REQUESTS PORT [CERTIFICATE http/1.1|h2]")
	}
	tasks, requests := number(os.Args[1]), number(os.Args[2])
	client, scheme := &http.Client{Transport: &http.Transport{MaxConnsPerHost: tasks, MaxIdleConnsPerHost: tasks}}, "http"
	if len(os.Args) == 6 {
		client.Transport, scheme = secure(tasks, os.Args[4], os.Args[5]), "https"
	}
	url := scheme + "://127.0.0.1:" + os.Args[3] + "/json"
	run(client, url, tasks, requests/5)
	before, begin := processorTime(), time.Now()
	run(client, url, tasks, requests)
	used, wall := processorTime()-before, time.Since(begin)
	fmt.Printf("%.1f %d\n", used*1e6/float64(requests), int(float64(requests)/wall.Seconds()))
}

func number(text string) int {
	value, err := strconv.Atoi(text)
	if err != nil {
		log.Fatal(err)
	}
	return value
}

// A transport that trusts one certificate and speaks one protocol.
func secure(tasks int, certificate, protocol string) *http.Transport {
	text, err := os.ReadFile(certificate)
	if err != nil {
		log.Fatal(err)
	}
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(text) {
		log.Fatalf("no certificate in %s", certificate)
	}
	return &http.Transport{
		MaxConnsPerHost: tasks, MaxIdleConnsPerHost: tasks,
		TLSClientConfig:   &tls.Config{RootCAs: roots, NextProtos: []string{protocol}},
		ForceAttemptHTTP2: protocol == "h2",
	}
}

// Sends requests from as many goroutines as there are tasks.
func run(client *http.Client, url string, tasks, requests int) {
	var group sync.WaitGroup
	for task := 0; task < tasks; task++ {
		group.Add(1)
		go func() {
			defer group.Done()
			for sent := 0; sent < requests/tasks; sent++ {
				fetch(client, url)
			}
		}()
	}
	group.Wait()
}

// The request's fields are those of the other clients; Go adds Accept-Encoding: gzip.
func fetch(client *http.Client, url string) {
	request, err := http.NewRequest(http.MethodGet, url, nil)
	if err != nil {
		log.Fatal(err)
	}
	request.Header.Set("Accept", "*/*")
	request.Header.Set("User-Agent", "HttpConversation")
	response, err := client.Do(request)
	if err != nil {
		log.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		log.Fatal(err)
	}
	if len(body) != 82 {
		log.Fatalf("%d bytes instead of 82", len(body))
	}
}

// Of this process, in seconds.
func processorTime() float64 {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		log.Fatal(err)
	}
	seconds := func(t syscall.Timeval) float64 { return float64(t.Sec) + float64(t.Usec)/1e6 }
	return seconds(usage.Utime) + seconds(usage.Stime)
}
