// axum's hello with the metrics of axum-prometheus and the traces of axum-tracing-opentelemetry. Arguments: port, threads,
// and nothing, metrics, or traces: both, and a hundredth of the traces kept. Kept spans are dropped by the exporter.
use axum::Router;
use axum::routing::get;
use axum::serve::ListenerExt;
use axum_prometheus::PrometheusMetricLayer;
use axum_tracing_opentelemetry::middleware::OtelAxumLayer;
use opentelemetry::trace::TracerProvider;
use opentelemetry_sdk::error::OTelSdkResult;
use opentelemetry_sdk::propagation::TraceContextPropagator;
use opentelemetry_sdk::trace::{Sampler, SdkTracerProvider, SpanData, SpanExporter};
use tokio::signal::unix::{SignalKind, signal};
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;

#[derive(Debug)]
struct Nowhere;

impl SpanExporter for Nowhere {
    async fn export(&self, _batch: Vec<SpanData>) -> OTelSdkResult {
        Ok(())
    }
}

fn start_tracing() {
    let sampler = Sampler::ParentBased(Box::new(Sampler::TraceIdRatioBased(0.01)));
    let provider = SdkTracerProvider::builder().with_sampler(sampler).with_batch_exporter(Nowhere).build();
    opentelemetry::global::set_text_map_propagator(TraceContextPropagator::new());
    tracing_subscriber::registry().with(tracing_opentelemetry::layer().with_tracer(provider.tracer("server"))).init();
    opentelemetry::global::set_tracer_provider(provider);
}

fn router(observe: &str) -> Router {
    let router = Router::new().route("/", get(async || "Hello, World!"));
    if observe == "nothing" {
        return router;
    }
    let (layer, handle) = PrometheusMetricLayer::pair();
    let router = router.route("/metrics", get(async move || handle.render())).layer(layer);
    if observe == "traces" {
        start_tracing();
        return router.layer(OtelAxumLayer::default());
    }
    router
}

async fn serve(port: u16, observe: &str) -> std::io::Result<()> {
    let mut terminate = signal(SignalKind::terminate())?;
    let listener = tokio::net::TcpListener::bind(("127.0.0.1", port)).await?.tap_io(|connection| {
        let _ = connection.set_nodelay(true);
    });
    tokio::spawn(async move {
        terminate.recv().await;
        std::process::exit(0);
    });
    axum::serve(listener, router(observe).into_make_service()).await
}

fn main() -> std::io::Result<()> {
    let arguments: Vec<String> = std::env::args().collect();
    let threads: usize = arguments[2].parse().expect("a number");
    let mut builder = match threads {
        1 => tokio::runtime::Builder::new_current_thread(),
        _ => tokio::runtime::Builder::new_multi_thread(),
    };
    let port: u16 = arguments[1].parse().expect("a port");
    builder.worker_threads(threads).enable_all().build()?.block_on(serve(port, &arguments[3]))
}
