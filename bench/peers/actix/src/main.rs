// actix-web with the routes of ../README.md. Arguments: port, threads.
use actix_web::dev::Service;
use actix_web::http::header::ContentType;
use actix_web::web::{self, Bytes, Json, Path};
use actix_web::{App, HttpResponse, HttpServer, Responder};
use futures_util::StreamExt;
use serde::{Deserialize, Serialize};

#[derive(Serialize)]
struct Message {
    message: &'static str,
}

#[derive(Deserialize)]
struct Order {
    name: String,
    value: u64,
}

#[derive(Serialize)]
struct Item {
    name: String,
    value: u64,
    double: u64,
}

#[derive(Serialize)]
struct Greeting {
    greeting: String,
    item: Item,
}

fn text(content: impl Into<String>) -> HttpResponse {
    HttpResponse::Ok().content_type(ContentType::plaintext()).body(content.into())
}

async fn hello() -> impl Responder {
    "Hello, World!"
}

async fn json() -> impl Responder {
    Json(Message { message: "Hello, World!" })
}

async fn json_post(order: Json<Order>) -> impl Responder {
    let Order { name, value } = order.into_inner();
    Json(Greeting { greeting: format!("Hello, {name}!"), item: Item { name, value, double: 2 * value } })
}

async fn user(id: Path<String>) -> impl Responder {
    id.into_inner()
}

async fn echo(body: Bytes) -> impl Responder {
    body
}

async fn upload(mut body: web::Payload) -> actix_web::Result<HttpResponse> {
    let mut size = 0;
    while let Some(piece) = body.next().await {
        size += piece?.len();
    }
    Ok(text(size.to_string()))
}

fn sum(value: f64) -> f64 {
    let mut sum = 0.0;
    let mut sign = 1.0;
    for n in 1..=5_000_000u32 {
        sum += sign * value.powf(f64::from(n)) / f64::from(n);
        sign = -sign;
    }
    sum
}

#[derive(Deserialize)]
struct Calc {
    value: f64,
}

async fn calc(query: web::Query<Calc>) -> actix_web::Result<HttpResponse> {
    let value = query.value;
    Ok(text(web::block(move || sum(value)).await?.to_string()))
}

#[actix_web::main]
async fn main() -> std::io::Result<()> {
    let numbers: Vec<usize> = std::env::args().skip(1).map(|argument| argument.parse().expect("a number")).collect();
    HttpServer::new(|| {
        let app = App::new()
            .app_data(web::PayloadConfig::new(16 << 20))
            .route("/", web::get().to(hello))
            .route("/json", web::get().to(json))
            .route("/json", web::post().to(json_post))
            .route("/user/{id}", web::get().to(user))
            .route("/echo", web::post().to(echo))
            .route("/upload", web::post().to(upload))
            .route("/calc", web::get().to(calc))
            .service(
                web::resource("/behind-three")
                    .wrap_fn(|request, next| next.call(request))
                    .wrap_fn(|request, next| next.call(request))
                    .wrap_fn(|request, next| next.call(request))
                    .route(web::get().to(hello)),
            );
        (0..300).fold(app, |app, n| app.route(&format!("/route{n}/{{id}}/details"), web::get().to(user)))
    })
    .workers(numbers[1])
    .keep_alive(std::time::Duration::from_secs(75))
    .shutdown_timeout(1)
    .bind(("127.0.0.1", numbers[0] as u16))?
    .run()
    .await
}
