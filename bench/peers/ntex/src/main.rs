// ntex with the routes of ../README.md. Arguments: port, threads.
use ntex::http::HttpServiceConfig;
use ntex::http::error::PayloadError;
use ntex::service::cfg::SharedCfg;
use ntex::service::{Middleware, Service, ServiceCtx};
use ntex::time::Seconds;
use ntex::util::Bytes;
use ntex::web::types::{Json, Path, Payload, PayloadConfig, Query};
use ntex::web::{self, App, HttpResponse, HttpServer, WebRequest, WebResponse};
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

async fn hello() -> &'static str {
    "Hello, World!"
}

async fn json() -> HttpResponse {
    HttpResponse::Ok().json(&Message { message: "Hello, World!" })
}

async fn json_post(order: Json<Order>) -> HttpResponse {
    let Order { name, value } = order.into_inner();
    let item = Item { value, double: 2 * value, name: name.clone() };
    HttpResponse::Ok().json(&Greeting { greeting: format!("Hello, {name}!"), item })
}

async fn user(id: Path<String>) -> String {
    id.into_inner()
}

async fn echo(body: Bytes) -> HttpResponse {
    HttpResponse::Ok().body(body)
}

async fn upload(mut body: Payload) -> Result<String, PayloadError> {
    let mut size = 0;
    while let Some(piece) = body.recv().await {
        size += piece?.len();
    }
    Ok(size.to_string())
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

async fn calc(query: Query<Calc>) -> Result<String, web::Error> {
    let value = query.value;
    Ok(web::block(move || Ok::<_, std::convert::Infallible>(sum(value))).await?.to_string())
}

// A middleware that only passes on.
struct Through;

struct ThroughService<S> {
    service: S,
}

impl<S> Middleware<S, SharedCfg> for Through {
    type Service = ThroughService<S>;

    fn create(&self, service: S, _: SharedCfg) -> Self::Service {
        ThroughService { service }
    }
}

impl<S, E> Service<WebRequest<E>> for ThroughService<S>
where
    S: Service<WebRequest<E>, Response = WebResponse>,
{
    type Response = WebResponse;
    type Error = S::Error;

    ntex::forward_ready!(service);
    ntex::forward_poll!(service);
    ntex::forward_shutdown!(service);

    async fn call(&self, request: WebRequest<E>, context: ServiceCtx<'_, Self>) -> Result<WebResponse, S::Error> {
        context.call(&self.service, request).await
    }
}

#[ntex::main]
async fn main() -> std::io::Result<()> {
    let numbers: Vec<usize> = std::env::args().skip(1).map(|argument| argument.parse().expect("a number")).collect();
    HttpServer::new(async || {
        let app = App::new()
            .state(PayloadConfig::new(16 << 20))
            .route("/", web::get().to(hello))
            .service(web::resource("/json").route(web::get().to(json)).route(web::post().to(json_post)))
            .route("/user/{id}", web::get().to(user))
            .route("/echo", web::post().to(echo))
            .route("/upload", web::post().to(upload))
            .route("/calc", web::get().to(calc))
            .service(
                web::resource("/behind-three")
                    .middleware(Through)
                    .middleware(Through)
                    .middleware(Through)
                    .route(web::get().to(hello)),
            );
        (0..300).fold(app, |app, n| app.route(&format!("/route{n}/{{id}}/details"), web::get().to(user)))
    })
    .workers(numbers[1])
    .shutdown_timeout(Seconds(1))
    .config(
        SharedCfg::new("bench").add(HttpServiceConfig::new().set_max_buf_size(128 * 1024).set_keepalive(Seconds(75))),
    )
    .bind(("127.0.0.1", numbers[0] as u16))?
    .run()
    .await
}
