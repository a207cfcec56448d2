// Assembles the page.

import { Announcer } from "./announcer.js";
import { readArchive } from "./archive.js";
import { askForKey, codeIn, hideBanner, showFile, showLost, showProblem } from "./banner.js";
import { CallsView } from "./calls-view.js";
import { Connection, KeyRefused } from "./connection.js";
import { Details } from "./details.js";
import { Effects } from "./effects.js";
import { byID } from "./element.js";
import { archiveName, receiveFiles, saveFile } from "./files.js";
import { Keyboard } from "./keyboard.js";
import { chooseLanguage, currentLanguage, onLanguageChange, translate, words } from "./language.js";
import { LiveCalls } from "./live.js";
import { Splitter } from "./splitter.js";
import { CallStore } from "./store.js";

const announcer = new Announcer();
const notify = (text) => announcer.notify(text);
const connection = new Connection(sessionStorage.getItem("key") ?? "");
connection.onKey = (key) => sessionStorage.setItem("key", key);
takeCode();
const liveStore = new CallStore();
const live = new LiveCalls(connection, liveStore);
/** The open file and its name, or null with a running app. */
let file = null;
let shownState = null;

const view = new CallsView({
    announcer, onActivate: (id, how) => openDetails(id, how),
    onSelect: () => showSelection(),
});
const details = new Details(byID("details"), {
    notify, onClose: closeDetails, onStub: (detail) => effects.open(detail), onSave: (ids) => save(ids),
});
const effects = new Effects(live, { notify, tags: () => [...new Set([...(live.hello?.tags ?? []), ...view.knownTags])] });
new Keyboard({
    onSearch: () => {
        view.text.focus();
        view.text.select();
    },
    onEscape: () => {
        if (!byID("details").hidden) closeDetails();
        else if (view.text.value) view.clearText();
    },
});
new Splitter(byID("splitter"), byID("main"));

/** Uses the code of the address, and removes it from there. A history may keep it, but it opens one page only. */
function takeCode() {
    const code = codeIn(location.hash);
    if (code === null) return;
    connection.use({ code, key: connection.key });
    history.replaceState(null, "", location.pathname + location.search);
}

// Details

let pendingOpen = 0;

function openDetails(id, how) {
    byID("splitter").hidden = false;
    byID("main").classList.add("open");
    details.open(id, how);
}

function closeDetails() {
    const hadFocus = byID("details").contains(document.activeElement);
    details.close();
    byID("splitter").hidden = true;
    byID("main").classList.remove("open");
    if (hadFocus) view.list.grid.focus();
    view.list.redraw();
}

// Open details follow the selection, but not while a key is held down.
view.list.onMove = (id) => {
    if (byID("details").hidden) return;
    clearTimeout(pendingOpen);
    pendingOpen = setTimeout(() => openDetails(id), 90);
};

/** The last seen state of the shown call. */
let seen = null;
let pendingRefresh = 0;
function follow() {
    if (file || details.id === null) return;
    const call = liveStore.find(details.id);
    const isSame = call === seen;
    seen = call;
    if (!call || isSame || !details.detail) return;
    const before = details.detail.summary;
    if (call.state === before.state && call.state !== "running") return;
    pendingRefresh ||= setTimeout(() => {
        pendingRefresh = 0;
        details.refresh();
    }, 300);
}
liveStore.onChange(follow);
liveStore.onChange(() => showState());

// Connection

live.onState(() => showState());

function showState() {
    const state = file ? "file" : live.state === "live" && liveStore.isPaused ? "paused" : live.state;
    const count = liveStore.waitingCount;
    if (`${state} ${count}` === shownState) return;
    const isOther = !shownState?.startsWith(`${state} `);
    shownState = `${state} ${count}`;
    byID("connection").dataset.state = state;
    byID("connection-words").textContent = words(`connection.${state}`, { count });
    byID("pause").classList.toggle("on", liveStore.isPaused);
    byID("pause").querySelector(".word").textContent = words(liveStore.isPaused ? "resume" : "pause");
    byID("pause").querySelector("use").setAttribute("href", liveStore.isPaused ? "#icon-resume" : "#icon-pause");
    for (const tool of document.querySelectorAll(".tools .live")) tool.hidden = file !== null;
    if (!isOther) return;
    announcer.say(words(`connection.${state}`, { count }));
    if (state === "lost") showLost();
    else if (state === "refused") askForKey(connection.hasKey ? "banner.refused" : "banner.noKey", connection.hasKey ? live.message : null, useKey);
    else if (state === "live") hideBanner();
    if (state === "live") greet();
}

function greet() {
    const { app, version, showsSecrets, tags } = live.hello;
    byID("app").hidden = false;
    byID("app").textContent = [app, version, showsSecrets ? words("secrets.shown") : null].filter(Boolean).join(" · ");
    document.title = `${app} – ${words("title")}`;
    view.addTags(tags ?? []);
    if (!file) view.use(liveStore, live.clockDifference);
}

function useKey(given) {
    connection.use(given);
    if (given.key) sessionStorage.setItem("key", given.key);
    hideBanner();
    shownState = null;
    start();
}

// Tools

byID("pause").addEventListener("click", () => (liveStore.isPaused ? liveStore.resume() : liveStore.pause()));
byID("clear").addEventListener("click", () => attempt(async () => {
    await live.clear();
    closeDetails();
}));
byID("language").value = currentLanguage();
byID("language").addEventListener("change", (event) => chooseLanguage(event.target.value));
byID("archive-all").addEventListener("click", () => save(null));
byID("archive-selected").addEventListener("click", () => save([...view.list.selected].sort((one, other) => one - other)));
byID("archive-open").addEventListener("click", () => {
    byID("archive-menu").hidePopover();
    byID("archive-file").click();
});
byID("archive-menu").addEventListener("beforetoggle", () => {
    const { bottom, left } = byID("archive").getBoundingClientRect();
    byID("archive-menu").style.top = `${bottom + 4}px`;
    byID("archive-menu").style.left = `${Math.max(8, Math.min(left, innerWidth - 250))}px`;
});

function showSelection() {
    const count = view.list.selected.size;
    byID("archive-selected").textContent = words("har.selected", { count });
    byID("archive-selected").disabled = count === 0;
}

async function attempt(action) {
    try {
        await action();
    } catch (error) {
        notify(words("failed", { words: error.message }));
    }
}

function save(ids) {
    byID("archive-menu").hidePopover();
    return attempt(async () => saveFile(await (file?.calls ?? live).archive(ids), archiveName(file ? "catena" : live.hello?.app)));
}

// Files

receiveFiles(async (chosen) => {
    try {
        showArchive(await chosen.text().catch(() => Promise.reject(new Error(words("file.unreadable", { name: chosen.name })))), chosen.name);
    } catch (error) {
        showProblem(error.message);
    }
});

function showArchive(text, name, { canGoBack = true } = {}) {
    const calls = readArchive(text, name);
    const store = new CallStore();
    store.limit = Infinity;
    store.add(calls.summaries);
    file = { calls, name, canGoBack };
    closeDetails();
    details.use(calls);
    view.addTags(calls.summaries.map((call) => call.tag));
    view.use(store);
    byID("badges").hidden = true;
    showState();
    showFile(name, canGoBack ? leaveArchive : null);
    const skipped = calls.skipped > 0 ? ` ${words("file.skipped", { count: calls.skipped })}` : "";
    notify(words("file.opened", { name, count: calls.summaries.length }) + skipped);
}

function leaveArchive() {
    file = null;
    closeDetails();
    details.use(live);
    hideBanner();
    effects.show();
    shownState = null;
    view.use(liveStore, live.clockDifference);
    showState();
}

// Start

async function start() {
    try {
        const hello = await connection.hello();
        if (hello.har) {
            byID("app").hidden = true;
            return showArchive(await connection.text("/api/archive"), hello.app, { canGoBack: false });
        }
        await live.run(hello);
    } catch (error) {
        if (error instanceof KeyRefused || live.hello === null) await live.run();
        else showProblem(error.message);
    }
}

onLanguageChange(() => {
    shownState = null;
    view.translate();
    details.translate();
    effects.show();
    if (file) byID("badges").hidden = true;
    showSelection();
    showState();
    if (file) showFile(file.name, file.canGoBack ? leaveArchive : null);
});
translate(document);
details.use(live);
view.use(liveStore);
showSelection();
showState();
start();
