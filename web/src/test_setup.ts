// The few things of a browser that modules look at when they are loaded.

Object.assign(globalThis, {
  navigator: { language: "en" },
  location: new URL("http://127.0.0.1/"),
  history: { replaceState: () => undefined, pushState: () => undefined },
});
