// The client that oapi-codegen generates for the torture service, used against it.
package main

import (
	"context"
	"encoding/json"
	"log"
	"net/http"
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

func items(ctx context.Context, service *client.ClientWithResponses) {
	found, err := service.OneItemWithResponse(ctx, "7")
	must(err)
	expect("item", *found.JSON200, client.Item{Id: 7, Name: "Seven", Price: "7.00"})
	missing, err := service.OneItemWithResponse(ctx, "8")
	must(err)
	expect("missing", missing.StatusCode(), 404)
	expect("problem", missing.ApplicationproblemJSON404.Status, 404)
	added, err := service.ItemsPostWithResponse(ctx, client.NewItem{Name: "New", Price: "12.50"})
	must(err)
	expect("added", added.JSON201.Price, "12.50")
	expect("location", added.HTTPResponse.Header.Get("Location"), "/items/7")
	refused, err := service.ItemsPostWithResponse(ctx, client.NewItem{Name: "New", Price: "x"})
	must(err)
	expect("pointer", *(*refused.ApplicationproblemJSON422.Errors)[0].Pointer, "/price")
}

func parameters(ctx context.Context, service *client.ClientWithResponses) {
	limit, number := int32(5), int32(3)
	product, err := service.GetParametersRuledWithResponse(ctx, &client.GetParametersRuledParams{Limit: &limit, Number: &number})
	must(err)
	expect("product", *product.JSON200, int32(15))
	year, err := service.GetParametersYearYearWithResponse(ctx, 1449)
	must(err)
	expect("year", *(*year.ApplicationproblemJSON422.Errors)[0].Pointer, "year")
	fields, err := service.GetParametersFieldsWithResponse(ctx, &client.GetParametersFieldsParams{XCount: 7})
	must(err)
	expect("field", *fields.JSON200, int32(7))
}

func content(ctx context.Context, service *client.ClientWithResponses) {
	var drawing client.Drawing
	must(json.Unmarshal([]byte(`{"shape":{"width":1,"height":2},"note":"text","second":{"radius":3}}`), &drawing))
	echoed, err := service.PostJsonDrawingWithResponse(ctx, drawing)
	must(err)
	circle, err := echoed.JSON200.Second.AsCircle()
	must(err)
	expect("radius", circle.Radius, 3.0)
	volume := int32(3)
	settings, err := service.PostJsonSettingsWithResponse(ctx, client.Settings{Volume: &volume})
	must(err)
	expect("volume", *settings.JSON200.Volume, int32(3))
	expect("colour", *settings.JSON200.Colour, client.Green)
}

func accepting(mediaType string) client.RequestEditorFn {
	return func(_ context.Context, request *http.Request) error {
		request.Header.Set("Accept", mediaType)
		return nil
	}
}

func representations(ctx context.Context, service *client.ClientWithResponses) {
	report, err := service.ReportWithResponse(ctx, 4, nil)
	must(err)
	expect("point", *report.JSON200, client.Point{X: 4, Y: 2})
	report, err = service.ReportWithResponse(ctx, 4, nil, accepting("application/vnd.torture.v2+json"))
	must(err)
	expect("second version", report.ApplicationvndTortureV2JSON200.B, "40")
	report, err = service.ReportWithResponse(ctx, 4, nil, accepting("image/png"))
	must(err)
	expect("not acceptable", report.ApplicationproblemJSON406.Status, 406)
}

func main() {
	ctx := context.Background()
	service, err := client.NewClientWithResponses(os.Args[1])
	must(err)
	items(ctx, service)
	parameters(ctx, service)
	content(ctx, service)
	representations(ctx, service)
}
