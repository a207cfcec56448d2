import Foundation

/// The inspector's page without a browser: its own modules, run by node with the few things of a browser that its connection needs.
struct Page {
    private static let script = """
        const [folder, host, key, code] = process.argv.slice(2);
        const define = (name, value) => Object.defineProperty(globalThis, name, { value, configurable: true });
        define("location", { host });
        define("localStorage", { getItem: () => "en", setItem: () => {} });
        define("navigator", { language: "en" });
        const request = globalThis.fetch;
        define("fetch", (path, options) => request(`http://${host}${path}`, options));
        const { Connection } = await import(`file://${folder}/connection.js`);
        const connection = new Connection(key);
        if (code !== "") connection.use({ code });
        try {
            await connection.hello();
            console.log("hello");
        } catch (error) {
            console.log(`${error.constructor.name}: ${error.message}`);
        }
        process.exit(0);
        """

    private let folder: Folder

    /// Returns `nil` if there is no node.
    init?() throws {
        guard Command.run(["node", "--version"])?.hasPrefix("v") == true else { return nil }
        folder = try Folder()
        let sources = URL(filePath: #filePath).appending(path: "../../../../../Sources/CatenaInspector/Page").standardizedFileURL
        for name in try FileManager.default.contentsOfDirectory(atPath: sources.path) where name.hasSuffix(".js") {
            try FileManager.default.copyItem(at: sources.appending(path: name), to: folder.url.appending(path: name))
        }
        try Data(#"{"type":"module"}"#.utf8).write(to: folder.url.appending(path: "package.json"))
        try Data(Self.script.utf8).write(to: folder.url.appending(path: "page.js"))
    }

    /// Opens the page of a host with a key or a code. Returns what it says.
    func run(host: String, key: String = "", code: String = "") -> String {
        Command.run(["node", folder.url.appending(path: "page.js").path, folder.url.path, host, key, code]) ?? "node cannot be run"
    }

    func remove() { folder.remove() }
}

enum Command {
    /// Runs a command with the given environment in addition. Returns its output without the last line break, or `nil` if it cannot be run.
    static func run(_ words: [String], environment: [String: String] = [:]) -> String? {
        let process = Process()
        let pipe = Pipe()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = words
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        process.standardOutput = pipe
        process.standardError = FileHandle.nullDevice
        guard (try? process.run()) != nil else { return nil }
        let output = (try? pipe.fileHandleForReading.readToEnd()) ?? Data()
        process.waitUntilExit()
        return String(decoding: output, as: UTF8.self).trimmingCharacters(in: .newlines)
    }
}
