// Embedded Tomcat with the routes of ../README.md. Arguments: port, a directory for what Tomcat writes. Where the
// environment has ACCESS_LOG, a line for each request goes into that file.

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.databind.ObjectMapper;
import jakarta.servlet.FilterChain;
import jakarta.servlet.Servlet;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpFilter;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.apache.catalina.Context;
import org.apache.catalina.connector.Connector;
import org.apache.catalina.startup.Tomcat;
import org.apache.catalina.valves.AccessLogValve;
import org.apache.tomcat.util.descriptor.web.FilterDef;
import org.apache.tomcat.util.descriptor.web.FilterMap;

public final class Main {
  private static final ObjectMapper mapper = new ObjectMapper();

  record Message(String message) {}

  record Order(String name, long value) {}

  record Item(String name, long value, @JsonProperty("double") long twice) {}

  record Greeting(String greeting, Item item) {}

  private static void send(HttpServletResponse response, String type, byte[] content) throws IOException {
    response.setContentType(type);
    response.setContentLength(content.length);
    response.getOutputStream().write(content);
  }

  private static void text(HttpServletResponse response, String content) throws IOException {
    send(response, "text/plain", content.getBytes(StandardCharsets.UTF_8));
  }

  private static void json(HttpServletResponse response, Object value) throws IOException {
    send(response, "application/json", mapper.writeValueAsBytes(value));
  }

  private static final class Hello extends HttpServlet {
    @Override
    protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
      text(response, "Hello, World!");
    }
  }

  private static final class Json extends HttpServlet {
    @Override
    protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
      json(response, new Message("Hello, World!"));
    }

    @Override
    protected void doPost(HttpServletRequest request, HttpServletResponse response) throws IOException {
      Order order = mapper.readValue(request.getInputStream(), Order.class);
      Item item = new Item(order.name(), order.value(), 2 * order.value());
      json(response, new Greeting("Hello, " + order.name() + "!", item));
    }
  }

  // The segment behind the servlet's own path.
  private static final class Id extends HttpServlet {
    @Override
    protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
      String rest = request.getPathInfo();
      int end = rest.indexOf('/', 1);
      text(response, end < 0 ? rest.substring(1) : rest.substring(1, end));
    }
  }

  private static final class Echo extends HttpServlet {
    @Override
    protected void doPost(HttpServletRequest request, HttpServletResponse response) throws IOException {
      send(response, "application/octet-stream", request.getInputStream().readAllBytes());
    }
  }

  private static final class Upload extends HttpServlet {
    @Override
    protected void doPost(HttpServletRequest request, HttpServletResponse response) throws IOException {
      byte[] piece = new byte[64 * 1024];
      long size = 0;
      for (int n; (n = request.getInputStream().read(piece)) >= 0; ) {
        size += n;
      }
      text(response, Long.toString(size));
    }
  }

  private static final class Calc extends HttpServlet {
    @Override
    protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
      double value = Double.parseDouble(request.getParameter("value"));
      double sum = 0;
      double sign = 1;
      for (int n = 1; n <= 5_000_000; ++n) {
        sum += sign * Math.pow(value, n) / n;
        sign = -sign;
      }
      text(response, Double.toString(sum));
    }
  }

  private static final class PassOn extends HttpFilter {
    @Override
    protected void doFilter(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
        throws IOException, ServletException {
      chain.doFilter(request, response);
    }
  }

  private static void serve(Context context, String pattern, String name, Servlet servlet) {
    Tomcat.addServlet(context, name, servlet);
    context.addServletMappingDecoded(pattern, name);
  }

  private static void passOn(Context context, String pattern, String name) {
    FilterDef filter = new FilterDef();
    filter.setFilterName(name);
    filter.setFilter(new PassOn());
    context.addFilterDef(filter);
    FilterMap map = new FilterMap();
    map.setFilterName(name);
    map.addURLPattern(pattern);
    context.addFilterMap(map);
  }

  private static Connector connector(int port) {
    Connector connector = new Connector();
    connector.setPort(port);
    connector.setProperty("address", "127.0.0.1");
    connector.setProperty("maxHttpHeaderSize", Integer.toString(128 * 1024));
    connector.setProperty("maxConnections", "20000");
    connector.setProperty("acceptCount", "4096");
    connector.setProperty("maxKeepAliveRequests", "-1");
    connector.setProperty("keepAliveTimeout", "75000");
    return connector;
  }

  private static AccessLogValve accessLog(Path file) {
    AccessLogValve valve = new AccessLogValve();
    valve.setDirectory(file.toAbsolutePath().getParent().toString());
    valve.setPrefix(file.getFileName().toString());
    valve.setRotatable(false);
    valve.setPattern("common");
    return valve;
  }

  private static Tomcat tomcat(int port, String directory) {
    Tomcat tomcat = new Tomcat();
    tomcat.setBaseDir(directory);
    tomcat.setConnector(connector(port));
    Context context = tomcat.addContext("", null);
    serve(context, "", "hello", new Hello());
    serve(context, "/json", "json", new Json());
    serve(context, "/user/*", "user", new Id());
    serve(context, "/echo", "echo", new Echo());
    serve(context, "/upload", "upload", new Upload());
    serve(context, "/calc", "calc", new Calc());
    serve(context, "/behind-three", "behind-three", new Hello());
    for (String name : new String[] {"first", "second", "third"}) {
      passOn(context, "/behind-three", name);
    }
    for (int n = 0; n < 300; ++n) {
      serve(context, "/route" + n + "/*", "route" + n, new Id());
    }
    String log = System.getenv("ACCESS_LOG");
    if (log != null) {
      context.getPipeline().addValve(accessLog(Path.of(log)));
    }
    return tomcat;
  }

  private static void stop(Tomcat tomcat) {
    try {
      tomcat.stop();
      Runtime.getRuntime().halt(0);
    } catch (Exception exception) {
      Runtime.getRuntime().halt(1);
    }
  }

  public static void main(String[] arguments) throws Exception {
    Logger.getLogger("").setLevel(Level.WARNING);
    Tomcat tomcat = tomcat(Integer.parseInt(arguments[0]), arguments[1]);
    Runtime.getRuntime().addShutdownHook(new Thread(() -> stop(tomcat)));
    tomcat.start();
    tomcat.getServer().await();
  }
}
