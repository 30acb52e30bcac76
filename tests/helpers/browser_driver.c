// Drives a headless Chromium by the DevTools protocol over a pipe, for tests of pages:
//
//     browser_driver CHROMIUM PROFILE-FOLDER <commands >answers
//
// A command is a line; those that ask are answered by a line of JSON.
//     open URL              loads a page and waits until <html data-ready>
//     load URL              loads a page and waits until it is complete, pictures too
//     size WIDTH HEIGHT     of the window; waits for <html data-width> where there is one
//     scheme light|dark     what the system prefers
//     medium screen|print
//     key NAME              presses and releases a key: ArrowRight, End, Space, Tab, ...
//     type TEXT             types into the element that has the focus
//     eval EXPRESSION       its value (promises are awaited)
//     run FILE              the value of the last expression of a script
//     shot FILE [whole]     a picture of the window, or of the whole page
//     messages              console messages and foreign requests since the last open, as a list
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include <jansson.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static struct {
    FILE *to, *from;
    pid_t process;
    int last; // number of the last request
    char *session;
    json_t *messages; // texts
} browser;

__attribute__((noreturn, format(printf, 1, 2))) static void fail(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    fputs("browser_driver: ", stderr);
    vfprintf(stderr, format, arguments);
    putc('\n', stderr);
    va_end(arguments);
    if (browser.process) kill(browser.process, SIGKILL);
    exit(1);
}

// ---- messages: JSON with a zero after each

static json_t *receive(void) {
    static char *line;
    static size_t room;
    json_error_t error;
    if (getdelim(&line, &room, 0, browser.from) < 1) fail("the browser is gone");
    json_t *message = json_loads(line, 0, &error);
    if (!message) fail("no JSON: %s", error.text);
    return message;
}

static void note(const char *what, const char *text) {
    json_array_append_new(browser.messages, json_sprintf("%s: %s", what, text ? text : "?"));
}

// what a page does on its own: messages and requests are kept
static void listen_to(const json_t *message) {
    const char *method = json_string_value(json_object_get(message, "method"));
    const json_t *p = json_object_get(message, "params");
    const char *url = NULL, *text = NULL;
    if (!method) return;
    if (strcmp(method, "Runtime.consoleAPICalled") == 0) {
        const json_t *first = json_array_get(json_object_get(p, "args"), 0);
        note("console", json_string_value(json_object_get(first, "value")));
    } else if (strcmp(method, "Runtime.exceptionThrown") == 0) {
        const json_t *details = json_object_get(p, "exceptionDetails");
        text = json_string_value(
            json_object_get(json_object_get(details, "exception"), "description"));
        note("exception", text);
    } else if (strcmp(method, "Log.entryAdded") == 0) {
        note("log", json_string_value(json_object_get(json_object_get(p, "entry"), "text")));
    } else if (strcmp(method, "Network.requestWillBeSent") == 0) {
        url = json_string_value(json_object_get(json_object_get(p, "request"), "url"));
        if (url && strncmp(url, "file:", 5) != 0 && strncmp(url, "about:", 6) != 0)
            note("request", url);
    }
}

// asks and waits; the result is the caller's, NULL stands for a refusal, with its text on stderr
static json_t *call(const char *method, json_t *params) {
    json_t *request = json_pack("{s:i,s:s,s:o}", "id", ++browser.last, "method", method, "params",
                                params ? params : json_object());
    if (browser.session) json_object_set_new(request, "sessionId", json_string(browser.session));
    char *text = json_dumps(request, JSON_COMPACT);
    fwrite(text, 1, strlen(text) + 1, browser.to);
    fflush(browser.to);
    free(text);
    json_decref(request);
    for (;;) {
        json_t *message = receive(), *result = NULL;
        if (json_integer_value(json_object_get(message, "id")) == browser.last) {
            const json_t *error = json_object_get(message, "error");
            if (error)
                fprintf(stderr, "%s: %s\n", method,
                        json_string_value(json_object_get(error, "message")));
            else
                result = json_incref(json_object_get(message, "result"));
            json_decref(message);
            return result;
        }
        listen_to(message);
        json_decref(message);
    }
}

static void tell(const char *method, json_t *params) {
    json_t *result = call(method, params);
    if (!result) fail("%s was refused", method);
    json_decref(result);
}

// ---- starting

static void launch(const char *program, const char *profile) {
    int to[2], from[2];
    char folder[4096];
    snprintf(folder, sizeof folder, "--user-data-dir=%s", profile);
    if (pipe(to) != 0 || pipe(from) != 0) fail("no pipes");
    browser.process = fork();
    if (browser.process == 0) {
        setpgid(0, 0);
        // 3 and 4 may be ends of the pipes themselves: first out of the way
        int in = dup2(to[0], 20), out = dup2(from[1], 21);
        dup2(in, 3);
        dup2(out, 4);
        for (int i = 5; i < 22; i++) close(i);
        if (!freopen("/dev/null", "w", stderr)) _exit(127);
        execlp(program, program, "--headless=new", "--no-sandbox", "--disable-gpu",
               "--disable-dev-shm-usage", "--disable-background-networking", "--no-first-run",
               "--disable-extensions", "--hide-scrollbars", "--remote-debugging-pipe", folder,
               "about:blank", (char *)NULL);
        _exit(127);
    }
    close(to[0]);
    close(from[1]);
    browser.to = fdopen(to[1], "w");
    browser.from = fdopen(from[0], "r");
    if (browser.process < 0 || !browser.to || !browser.from) fail("cannot start %s", program);
}

static void attach(void) {
    json_t *target = call("Target.createTarget", json_pack("{s:s}", "url", "about:blank"));
    const char *id = json_string_value(json_object_get(target, "targetId"));
    if (!id) fail("no page");
    json_t *session =
        call("Target.attachToTarget", json_pack("{s:s,s:b}", "targetId", id, "flatten", 1));
    const char *name = json_string_value(json_object_get(session, "sessionId"));
    if (!name) fail("no session");
    browser.session = strdup(name);
    json_decref(session);
    json_decref(target);
    static const char *const domains[] = {"Page.enable", "Runtime.enable", "Log.enable",
                                          "Network.enable"};
    for (size_t i = 0; i < sizeof domains / sizeof *domains; i++) tell(domains[i], NULL);
}

// ---- commands

// the value of an expression; NULL when it throws
static json_t *evaluate(const char *expression) {
    json_t *result = call("Runtime.evaluate", json_pack("{s:s,s:b,s:b}", "expression", expression,
                                                        "returnByValue", 1, "awaitPromise", 1));
    const json_t *thrown = json_object_get(result, "exceptionDetails");
    if (thrown) {
        const json_t *exception = json_object_get(thrown, "exception");
        fprintf(stderr, "%s\n", json_string_value(json_object_get(exception, "description")));
    }
    json_t *value =
        thrown ? NULL : json_incref(json_object_get(json_object_get(result, "result"), "value"));
    json_decref(result);
    return value;
}

static void answer(json_t *value) {
    char *text = value ? json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT) : NULL;
    puts(text ? text : "null");
    fflush(stdout);
    free(text);
    json_decref(value);
}

static void go_to(const char *url, const char *until) {
    json_array_clear(browser.messages);
    tell("Page.navigate", json_pack("{s:s}", "url", url));
    json_t *ready = evaluate(until);
    if (!json_is_true(ready)) fail("%s does not get ready", url);
    json_decref(ready);
}

static void do_open(char *url) {
    go_to(url, "new Promise((done) => { const look = () => "
               "document.documentElement?.dataset.ready ? done(true) : "
               "setTimeout(look, 50); look(); })");
}

static void do_load(char *url) {
    go_to(url, "new Promise((done) => document.readyState === 'complete' ? done(true) : "
               "addEventListener('load', () => done(true)))");
}

static void do_type(char *text) { tell("Input.insertText", json_pack("{s:s}", "text", text)); }

static void do_size(char *text) {
    int width = 0, height = 0;
    if (sscanf(text, "%d %d", &width, &height) != 2) fail("size WIDTH HEIGHT");
    tell("Emulation.setDeviceMetricsOverride",
         json_pack("{s:i,s:i,s:i,s:b}", "width", width, "height", height, "deviceScaleFactor", 1,
                   "mobile", 0));
    // a page that says for which width it is laid out has the last word
    char wait[512];
    snprintf(wait, sizeof wait,
             "new Promise((done) => { const look = () => { const said = "
             "document.documentElement?.dataset.width; innerWidth === %d && (!said || +said === %d)"
             " ? requestAnimationFrame(() => done(true)) : setTimeout(look, 50); }; look(); })",
             width, width);
    json_decref(evaluate(wait));
}

static void do_media(const char *medium, const char *scheme) {
    static char last_medium[16] = "", last_scheme[16] = "light";
    if (medium)
        snprintf(last_medium, sizeof last_medium, "%s", strcmp(medium, "print") ? "" : medium);
    if (scheme) snprintf(last_scheme, sizeof last_scheme, "%s", scheme);
    tell("Emulation.setEmulatedMedia",
         json_pack("{s:s,s:[{s:s,s:s},{s:s,s:s}]}", "media", last_medium, "features", "name",
                   "prefers-reduced-motion", "value", "reduce", "name", "prefers-color-scheme",
                   "value", last_scheme));
}

static void do_medium(char *text) { do_media(text, NULL); }
static void do_scheme(char *text) { do_media(NULL, text); }

static const struct {
    const char *name, *key, *text;
    int code;
} keys[] = {
    {"ArrowLeft", "ArrowLeft", NULL, 37},
    {"ArrowUp", "ArrowUp", NULL, 38},
    {"ArrowRight", "ArrowRight", NULL, 39},
    {"ArrowDown", "ArrowDown", NULL, 40},
    {"Home", "Home", NULL, 36},
    {"End", "End", NULL, 35},
    {"PageDown", "PageDown", NULL, 34},
    {"PageUp", "PageUp", NULL, 33},
    {"Space", " ", " ", 32},
    {"Enter", "Enter", "\r", 13},
    {"Tab", "Tab", NULL, 9},
};

static void do_key(char *name) {
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        if (strcmp(keys[i].name, name) != 0) continue;
        json_t *down =
            json_pack("{s:s,s:s,s:s,s:i}", "type", keys[i].text ? "keyDown" : "rawKeyDown", "key",
                      keys[i].key, "code", keys[i].name, "windowsVirtualKeyCode", keys[i].code);
        if (keys[i].text) json_object_set_new(down, "text", json_string(keys[i].text));
        tell("Input.dispatchKeyEvent", down);
        tell("Input.dispatchKeyEvent",
             json_pack("{s:s,s:s,s:s,s:i}", "type", "keyUp", "key", keys[i].key, "code",
                       keys[i].name, "windowsVirtualKeyCode", keys[i].code));
        return;
    }
    fail("no key '%s'", name);
}

static void do_eval(char *expression) { answer(evaluate(expression)); }

static void do_run(char *path) {
    FILE *file = fopen(path, "r");
    char *script = NULL;
    size_t room = 0;
    if (!file || getdelim(&script, &room, 0, file) < 1) fail("%s: cannot read", path);
    fclose(file);
    answer(evaluate(script));
    free(script);
}

static int digit_of(char c) {
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const char *at = c ? strchr(digits, c) : NULL;
    return at ? (int)(at - digits) : -1;
}

static void write_base64(const char *path, const char *text) {
    FILE *file = fopen(path, "wb");
    unsigned bits = 0, count = 0;
    if (!file) fail("%s: cannot write", path);
    for (; digit_of(*text) >= 0; text++) {
        bits = bits << 6 | (unsigned)digit_of(*text);
        if (++count % 4 != 1) putc((int)(bits >> (6 - 2 * ((count - 1) % 4)) & 255), file);
    }
    fclose(file);
}

static void do_shot(char *path) {
    char *mode = strchr(path, ' ');
    if (mode) *mode++ = 0;
    json_t *shot = call("Page.captureScreenshot", json_pack("{s:s,s:b}", "format", "png",
                                                            "captureBeyondViewport", mode != NULL));
    const char *text = json_string_value(json_object_get(shot, "data"));
    if (!text) fail("no picture");
    write_base64(path, text);
    json_decref(shot);
}

static void do_messages(char *unused) {
    (void)unused;
    answer(json_incref(browser.messages));
}

static const struct {
    const char *name;
    void (*act)(char *rest);
} commands[] = {
    {"open", do_open},     {"load", do_load}, {"size", do_size},         {"scheme", do_scheme},
    {"medium", do_medium}, {"key", do_key},   {"type", do_type},         {"eval", do_eval},
    {"run", do_run},       {"shot", do_shot}, {"messages", do_messages},
};

static void obey(char *line) {
    char *rest = strchr(line, ' ');
    if (rest) *rest++ = 0;
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        if (strcmp(commands[i].name, line) == 0) {
            commands[i].act(rest ? rest : line + strlen(line));
            return;
        }
    fail("no command '%s'", line);
}

int main(int argc, char **argv) {
    char *line = NULL;
    size_t room = 0;
    ssize_t length;
    if (argc != 3) fail("browser_driver CHROMIUM PROFILE-FOLDER");
    signal(SIGPIPE, SIG_IGN);
    browser.messages = json_array();
    launch(argv[1], argv[2]);
    attach();
    do_media(NULL, NULL);
    while ((length = getline(&line, &room, stdin)) > 0) {
        if (line[length - 1] == '\n') line[length - 1] = 0;
        if (line[0] && line[0] != '#') obey(line);
    }
    free(browser.session);
    browser.session = NULL;
    json_decref(call("Browser.close", NULL));
    kill(browser.process, SIGKILL);
    waitpid(browser.process, NULL, 0);
    json_decref(browser.messages);
    free(line);
    return 0;
}
