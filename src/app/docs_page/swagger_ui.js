// Starts Swagger UI, which its own scripts have loaded.
window.ui = SwaggerUIBundle({ url: document.body.dataset.document, dom_id: "#swagger-ui", deepLinking: true });
