// The client that oapi-codegen generates for the showcase, used against it.
package main

import (
	"context"
	"fmt"
	"log"
	"os"
	"reflect"

	"clients/client"
)

func must(err error) {
	if err != nil {
		log.Output(2, err.Error())
		os.Exit(1)
	}
}

func expect(what string, got, wanted any) {
	if !reflect.DeepEqual(got, wanted) {
		log.Fatalf("%s: got %v, expected %v", what, got, wanted)
	}
}

func codes(ctx context.Context, service *client.ClientWithResponses) {
	country, err := service.ACountryWithResponse(ctx, "is")
	must(err)
	expect("country", country.JSON200.Name, "Iceland")
	missing, err := service.ACountryWithResponse(ctx, "xx")
	must(err)
	expect("missing", missing.ApplicationproblemJSON404.Title, "Not Found")
}

func notes(ctx context.Context, service *client.ClientWithResponses) {
	tags := []string{"home"}
	added, err := service.MakesANoteWithResponse(ctx, client.NewNote{Title: "Milk", Tags: &tags})
	must(err)
	id := added.JSON201.Id
	expect("location", added.HTTPResponse.Header.Get("Location"), fmt.Sprintf("/notes/%d", id))
	done := true
	changed, err := service.ChangesANoteWithResponse(ctx, id, client.NotePatch{Done: &done})
	must(err)
	expect("done", changed.JSON200.Done, true)
	expect("title", changed.JSON200.Title, "Milk")
	refused, err := service.ReplacesANoteWithResponse(ctx, id, client.NewNote{Title: " "})
	must(err)
	expect("pointer", *(*refused.ApplicationproblemJSON422.Errors)[0].Pointer, "/title")
	removed, err := service.DeletesANoteWithResponse(ctx, id)
	must(err)
	expect("removed", removed.StatusCode(), 204)
}

func main() {
	ctx := context.Background()
	service, err := client.NewClientWithResponses(os.Args[1])
	must(err)
	codes(ctx, service)
	notes(ctx, service)
}
