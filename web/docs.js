// Every route of /openapi.json, with forms to try it.
SwaggerUIBundle({
  url: "openapi.json",
  dom_id: "#routes",
  deepLinking: true,
  docExpansion: "list",
  defaultModelsExpandDepth: 0,
  tryItOutEnabled: true,
  validatorUrl: null,
  onComplete() { // Swagger UI's main has the routes alone
    const label = (selector, attributes) => Object.entries(attributes).forEach(([name, value]) => document.querySelector(selector)?.setAttribute(name, value));
    label(".information-container", { role: "banner" });
    label(".scheme-container", { role: "region", "aria-label": "Authorization" });
    label(".servers select", { "aria-label": "Server" });
  },
});
