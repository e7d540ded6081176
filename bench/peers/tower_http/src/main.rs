// tower-http's ServeDir for the folder FILES, compressed below /dynamic. Arguments: port, threads.
use axum::Router;
use axum::serve::ListenerExt;
use tokio::signal::unix::{SignalKind, signal};
use tower_http::compression::CompressionLayer;
use tower_http::services::ServeDir;

fn router(folder: &str) -> Router {
    let dynamic = Router::new().fallback_service(ServeDir::new(format!("{folder}/dynamic"))).layer(CompressionLayer::new());
    let files = ServeDir::new(folder).precompressed_gzip().precompressed_br().precompressed_zstd();
    Router::new().nest("/dynamic", dynamic).fallback_service(files)
}

async fn serve(port: u16) -> std::io::Result<()> {
    let folder = std::env::var("FILES").expect("FILES is set");
    let mut terminate = signal(SignalKind::terminate())?;
    let listener = tokio::net::TcpListener::bind(("127.0.0.1", port)).await?.tap_io(|connection| {
        let _ = connection.set_nodelay(true);
    });
    tokio::spawn(async move {
        terminate.recv().await;
        std::process::exit(0);
    });
    axum::serve(listener, router(&folder).into_make_service()).await
}

fn main() -> std::io::Result<()> {
    let numbers: Vec<usize> = std::env::args().skip(1).map(|argument| argument.parse().expect("a number")).collect();
    let mut builder = match numbers[1] {
        1 => tokio::runtime::Builder::new_current_thread(),
        _ => tokio::runtime::Builder::new_multi_thread(),
    };
    builder.worker_threads(numbers[1]).enable_all().build()?.block_on(serve(numbers[0] as u16))
}
