// The agent of this profile with a2a-go 2: 1.0 over its three bindings, and 0.3 over HTTP+JSON and gRPC by its compatibility layer.
package main

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/a2aproject/a2a-go/v2/a2acompat/a2av0"
	grpc0 "github.com/a2aproject/a2a-go/v2/a2agrpc/v0"
	grpc1 "github.com/a2aproject/a2a-go/v2/a2agrpc/v1"
	"github.com/a2aproject/a2a-go/v2/a2asrv"
	"google.golang.org/grpc"
)

type executor struct{}

func (*executor) Execute(ctx context.Context, ec *a2asrv.ExecutorContext) iter.Seq2[a2a.Event, error] {
	return func(yield func(a2a.Event, error) bool) {
		text, files := read(ec.Message)
		status := func(state a2a.TaskState, message *a2a.Message) bool {
			return yield(a2a.NewStatusUpdateEvent(ec, state, message), nil)
		}
		if text == "message" {
			yield(a2a.NewMessage(a2a.MessageRoleAgent, a2a.NewTextPart("Just a word.")), nil)
			return
		}
		if ec.StoredTask == nil && !yield(a2a.NewSubmittedTask(ec, ec.Message), nil) {
			return
		}
		switch text {
		case "boom":
			yield(nil, errors.New("out of paper"))
			return
		case "ask":
			question := a2a.NewMessageForTask(a2a.MessageRoleAgent, ec, a2a.NewTextPart("Which one?"))
			status(a2a.TaskStateInputRequired, question)
			return
		}
		if !status(a2a.TaskStateWorking, nil) {
			return
		}
		for _, event := range chunks(ec, text, files) {
			if !yield(event, nil) {
				return
			}
			time.Sleep(20 * time.Millisecond)
		}
		if text == "slow" {
			select {
			case <-ctx.Done():
				return
			case <-time.After(time.Minute):
			}
		}
		status(a2a.TaskStateCompleted, nil)
	}
}

func (*executor) Cancel(ctx context.Context, ec *a2asrv.ExecutorContext) iter.Seq2[a2a.Event, error] {
	return func(yield func(a2a.Event, error) bool) {
		yield(a2a.NewStatusUpdateEvent(ec, a2a.TaskStateCanceled, nil), nil)
	}
}

func read(message *a2a.Message) (text string, files []*a2a.Part) {
	for _, part := range message.Parts {
		if part.Raw() != nil {
			files = append(files, part)
		} else {
			text += part.Text()
		}
	}
	return text, files
}

func chunks(ec *a2asrv.ExecutorContext, text string, files []*a2a.Part) []*a2a.TaskArtifactUpdateEvent {
	if text == "slow" {
		return []*a2a.TaskArtifactUpdateEvent{a2a.NewArtifactEvent(ec, a2a.NewTextPart("slow "))}
	}
	if text == "file" {
		said := [][]string{}
		for _, file := range files {
			said = append(said, []string{file.Filename, file.MediaType, base64.StdEncoding.EncodeToString(file.Raw())})
		}
		list, _ := json.Marshal(said)
		return []*a2a.TaskArtifactUpdateEvent{a2a.NewArtifactEvent(ec, append([]*a2a.Part{a2a.NewTextPart(string(list))}, files...)...)}
	}
	events := []*a2a.TaskArtifactUpdateEvent{}
	for i, chunk := range strings.Split(text, "|") {
		part := a2a.NewTextPart(chunk)
		if i == 0 {
			events = append(events, a2a.NewArtifactEvent(ec, part))
		} else {
			events = append(events, a2a.NewArtifactUpdateEvent(ec, events[0].Artifact.ID, part))
		}
	}
	events[len(events)-1].LastChunk = true
	return events
}

func card(url string, binding a2a.TransportProtocol, version a2a.ProtocolVersion) *a2a.AgentCard {
	served := a2a.NewAgentInterface(url, binding)
	served.ProtocolVersion = version
	return &a2a.AgentCard{
		Name: "Peer", Description: "Answers with what it is told.", Version: "1",
		SupportedInterfaces: []*a2a.AgentInterface{served},
		Capabilities:        a2a.AgentCapabilities{Streaming: true, ExtendedAgentCard: true},
		DefaultInputModes:   []string{"text/plain"}, DefaultOutputModes: []string{"text/plain"}, Skills: []a2a.AgentSkill{},
	}
}

func listen() net.Listener {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	return listener
}

// Serves the card and the handler, and returns the URL.
func serve(binding a2a.TransportProtocol, version a2a.ProtocolVersion, handler http.Handler) string {
	listener := listen()
	url := "http://" + listener.Addr().String() + "/"
	served := a2asrv.NewStaticAgentCardHandler(card(url, binding, version))
	if version == a2av0.Version {
		served = a2asrv.NewAgentCardHandler(a2av0.NewStaticAgentCardProducer(card(url, binding, version)))
	}
	mux := http.NewServeMux()
	mux.Handle(a2asrv.WellKnownAgentCardPath, served)
	mux.Handle("/", handler)
	go func() { panic(http.Serve(listener, mux)) }()
	return url
}

func serveGRPC(version a2a.ProtocolVersion) string {
	listener := listen()
	address := listener.Addr().String()
	extended := a2asrv.WithExtendedAgentCard(card(address, a2a.TransportProtocolGRPC, version))
	handler := a2asrv.NewHandler(&executor{}, extended)
	server := grpc.NewServer()
	if version == a2av0.Version {
		grpc0.NewHandler(handler).RegisterWith(server)
	} else {
		grpc1.NewHandler(handler).RegisterWith(server)
	}
	go func() { panic(server.Serve(listener)) }()
	return "grpc://" + address
}

func main() {
	const v1 a2a.ProtocolVersion = "1.0"
	newHandler := func() a2asrv.RequestHandler { return a2asrv.NewHandler(&executor{}) }
	rpc := serve(a2a.TransportProtocolJSONRPC, v1, a2asrv.NewJSONRPCHandler(newHandler()))
	rest := serve(a2a.TransportProtocolHTTPJSON, v1, a2asrv.NewRESTHandler(newHandler()))
	bare := serve(a2a.TransportProtocolHTTPJSON, a2av0.Version, a2av0.NewRESTHandler(newHandler()))

	said := map[string]map[string]string{
		"1.0": {"JSONRPC": rpc, "HTTP+JSON": rest, "GRPC": serveGRPC(v1)},
		"0.3": {"HTTP+JSON": bare, "GRPC": serveGRPC(a2av0.Version)},
	}
	line, _ := json.Marshal(said)
	fmt.Println(string(line))
	select {}
}
