#!/usr/bin/awk -f
# Makes manual pages and HTML pages from the comments of the public headers:
#     awk -v out=DIR -v version=X.Y.Z -f tools/api-pages.awk include/slottar/*.h
# DIR/man3/slottar-NOUN.3 and DIR/html/NOUN.html per header, a page of manual per function that points
# to its header's, and slottar.3 and index.html as the way in.
#
# A header is a title, paragraphs, then blocks: a comment and the declarations below it, up to an empty
# line. "// ---- words" starts a section; lines that are indented in a comment are code.

# ---- reading: blocks into text[page, i], code[page, i], heading[page, i]

FNR == 1 {
    page = FILENAME; sub(/.*\//, "", page); sub(/\.h$/, "", page)
    pages[++page_count] = page
    blocks[page] = 1; in_title = 1; in_head = 1; skipping = 0; depth = 0
}
/^#ifdef __cplusplus/ { skipping = 1 }
skipping { if (/^#endif/) skipping = 0; next }
/^\/\/ (SPDX|Copyright|clang-format)/ || /^#(include|if|endif|else|undef)/ { next }
/^#define (SLOTTAR_|SLT_API)/ { next }
in_title && /^\/\/$/ { in_title = 0; next }
in_title { title[page] = title[page] (title[page] == "" ? "" : " ") substr($0, 4); next }
in_head && /^\/\// { intro[page] = intro[page] substr($0, 4) "\n"; next }
{ in_head = 0 }
/^\/\/ ---- / { finish(); heading[page, blocks[page]] = substr($0, 9); next }
/^\/\// && depth == 0 { if (code[page, blocks[page]] != "") finish() }
/^\/\// && depth == 0 { text[page, blocks[page]] = text[page, blocks[page]] substr($0, 4) "\n"; next }
/^$/ && depth == 0 { finish(); next }
{
    note_names($0)
    if (exported) sub(/^        /, "")
    if (sub(/^SLT_API /, "")) exported = 1
    if (/;/) exported = 0
    code[page, blocks[page]] = code[page, blocks[page]] $0 "\n"
    depth += gsub(/{/, "{") - gsub(/}/, "}")
}
END { for (p = 1; p <= page_count; p++) { write_man(pages[p]); write_html(pages[p]) } }

function finish() {
    if (text[page, blocks[page]] code[page, blocks[page]] != "") blocks[page]++
}

# what a line of code declares: functions, and types at their end
function note_names(line,    name) {
    if (line ~ /^(SLT_API|static inline)/ && match(line, /slt_[a-z0-9_]+\(/)) {
        name = substr(line, RSTART, RLENGTH - 1)
        functions[page] = functions[page] " " name
    } else if (line ~ /^typedef .*\(\*slt_/ && match(line, /\(\*slt_[a-z0-9_]+/)) name = substr(line, RSTART + 2, RLENGTH - 2)
    else if (line ~ /^(typedef|}).* slt_[a-z0-9_]+;$/ && match(line, /slt_[a-z0-9_]+;$/)) name = substr(line, RSTART, RLENGTH - 1)
    if (name == "") return
    home[name] = page
    names[page, blocks[page]] = names[page, blocks[page]] " " name
}

# ---- writing: paragraphs of prose and of code, in one of two languages

function emit(s) { printf "%s", s > file }

function escape(s) {
    if (form == "html") { gsub(/&/, "\\&amp;", s); gsub(/</, "\\&lt;", s); gsub(/>/, "\\&gt;", s); return s }
    gsub(/\\/, "\\e", s); gsub(/-/, "\\-", s); gsub(/'/, "\\(aq", s); gsub(/`/, "\\(ga", s); gsub(/\^/, "\\(ha", s); gsub(/~/, "\\(ti", s)
    if (s ~ /^\./) s = "\\&" s
    return s
}

# names that stand on a page become links
function linked(s,    done, name) {
    if (form != "html") return s
    while (match(s, /slt_[a-z0-9_]+/)) {
        name = substr(s, RSTART, RLENGTH)
        done = done substr(s, 1, RSTART - 1) (name in home ? "<a href=\"" home[name] ".html#" name "\">" name "</a>" : name)
        s = substr(s, RSTART + RLENGTH)
    }
    return done s
}

function write_code(s) {
    if (s == "") return
    sub(/\n+$/, "", s)
    emit((form == "html" ? "<pre>" : ".PP\n.nf\n") lines(s) (form == "html" ? "</pre>\n" : "\n.fi\n"))
}

function lines(s,    n, part, i, all) {
    n = split(s, part, "\n")
    for (i = 1; i <= n; i++) all = all (i > 1 ? "\n" : "") linked(escape(part[i]))
    return all
}

function write_text(s,    n, part, i, prose, example) {
    n = split(s, part, "\n")
    for (i = 1; i <= n + 1; i++) {
        if (part[i] ~ /^    /) { example = example substr(part[i], 5) "\n"; continue }
        if (example != "") { write_code(example); example = "" }
        if (part[i] != "") { prose = prose part[i] "\n"; continue }
        if (prose != "") emit((form == "html" ? "<p>" : ".PP\n") lines(prose))
        prose = ""
    }
}

function write_blocks(page,    i, n, part, k) {
    for (i = 1; i <= blocks[page]; i++) {
        if (heading[page, i] != "") emit((form == "html" ? "<h2>" : ".SS ") escape(heading[page, i]) (form == "html" ? "</h2>\n" : "\n"))
        n = form == "html" ? split(names[page, i], part, " ") : 0
        for (k = 1; k <= n; k++) emit("<a id=\"" part[k] "\"></a>")
        write_code(code[page, i])
        if (form == "man") emit(".RS 4\n")
        write_text(text[page, i])
        if (form == "man") emit(".RE\n")
    }
}

# the title as it stands after a name
function summary(page,    s) {
    s = title[page]; sub(/^slottar: /, "", s); sub(/\.$/, "", s)
    return tolower(substr(s, 1, 1)) substr(s, 2)
}

# ---- pages

function write_man(page,    name, n, part, i, list) {
    form = "man"
    name = page == "slottar" ? "slottar" : "slottar-" page
    file = out "/man3/" name ".3"
    n = split(functions[page], part, " ")
    for (i = 1; i <= n; i++) list = list ", " part[i]
    emit(".TH \"" escape(toupper(name)) "\" 3 \"\" \"slottar " version "\" \"slottar library\"\n")
    emit(".SH NAME\n" escape(name) list " \\- " escape(summary(page)) "\n")
    emit(".SH SYNOPSIS\n.nf\n#include <slottar/" page ".h>\n\ncc program.c $(pkg\\-config \\-\\-cflags \\-\\-libs slottar)\n.fi\n.SH DESCRIPTION\n")
    write_text(intro[page])
    if (page == "slottar") write_contents()
    write_blocks(page)
    emit(".SH SEE ALSO\n.BR slottar (1)" (page == "slottar" ? "\n" : ",\n.BR slottar (3)\n"))
    close(file)
    for (i = 1; i <= n; i++) { print ".so man3/" name ".3" > (out "/man3/" part[i] ".3"); close(out "/man3/" part[i] ".3") }
}

function write_html(page) {
    form = "html"
    file = out "/html/" (page == "slottar" ? "index" : page) ".html"
    emit("<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" content=\"width=device-width\">\n")
    emit("<title>slottar/" page ".h</title>\n<style>:root { color-scheme: light dark } body { max-width: 50em; margin: 2em auto; padding: 0 1em; font-family: sans-serif; line-height: 1.5 } pre { border-left: 3px solid #8888; padding-left: 1em; overflow-x: auto; line-height: 1.3; margin-top: 2em }</style>\n")
    if (page != "slottar") emit("<p><a href=\"index.html\">slottar " version "</a>\n")
    emit("<h1>&lt;slottar/" page ".h&gt;</h1>\n<p>" escape(title[page]) "\n")
    write_text(intro[page])
    if (page == "slottar") write_contents()
    write_blocks(page)
    close(file)
}

function write_contents(    p) {
    emit(form == "html" ? "<h2>headers</h2>\n<dl>\n" : ".SS headers\n")
    for (p = 1; p <= page_count; p++) {
        if (pages[p] == "slottar") continue
        if (form == "html") emit("<dt><a href=\"" pages[p] ".html\">" pages[p] ".h</a><dd>" escape(title[pages[p]]) "\n")
        else emit(".TP\n.BR slottar\\-" pages[p] " (3)\n" escape(title[pages[p]]) "\n")
    }
    if (form == "html") emit("</dl>\n")
}
