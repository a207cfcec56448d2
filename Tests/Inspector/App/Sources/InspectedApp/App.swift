import Catena
import CatenaInspector
import Foundation

/// An app that makes calls on command of the browser tests. It reads a command from each line, and prints `ok` when the command is done.
@main
struct App {
    let backend: Backend
    var inspector: Inspector
    var key = UUID().uuidString
    var running: Promise<Download>?
    var fetching: Promise<Data>?

    static func main() async throws {
        let backend = try Backend()
        backend.configure()
        let key = UUID().uuidString
        var app = App(backend: backend, inspector: try await Inspector.start(for: .shared, key: key), key: key)
        fflush(nil)
        while let line = readLine() {
            do {
                try await app.follow(line.split(separator: " ").map(String.init))
                print("ok")
            } catch {
                print("error \(error)")
            }
            fflush(nil)
        }
    }

    struct UnknownCommand: Error {}

    private mutating func follow(_ words: [String]) async throws {
        switch words.first {
        case "basics": await makeBasicCalls()
        case "hostile":
            for name in ["script", "large", "broken", "vector"] { _ = try? await API.tag(.forum).get("/v1/\(name)").data() }
        case "get" where words.count == 3: _ = try? await API.tag(Tag(words[1])).get(words[2]).value()
        case "calls": await makeCalls(words.last.flatMap(Int.init) ?? 0)
        case "download":
            running = API.tag(.forum).get("/v1/download").execute(
                .download(to: FileManager.default.temporaryDirectory.appending(path: key)))
        case "fetch": fetching = API.tag(.forum).get("/v1/download").execute(.data)
        case "upload": fetching = API.tag(.forum).post("/v1/upload").body(Data(count: 1_000_000), contentType: "text/plain").execute(.data)
        case "finish", "uploaded":
            backend.download.open()
            _ = try await running?.value
            _ = try await fetching?.value
        case "restart": try await restart(on: words.last)
        case "rekey":
            key = UUID().uuidString
            try await restart(on: words.last)
        default: throw UnknownCommand()
        }
    }

    private mutating func restart(on port: String?) async throws {
        inspector.stop()
        inspector = try await Inspector.start(for: .shared, port: port.flatMap(Int.init) ?? 8642, key: key)
    }

    private func makeBasicCalls() async {
        _ = try? await API.tag(.forum).get("/v1/rooms").params(["page": 1, "size": 20]).value()
        _ = try? await API.tag(.forum).get("/v1/rooms").params(["page": 1, "size": 20]).value()
        _ = try? await API.tag(.forum).post("/v1/rooms").params(["name": "New", "private": false]).value()
        _ = try? await API.tag(.forum).get("/v1/rooms/99").value()
        _ = try? await API.tag(.wallet).get("/v1/balance").value()
        _ = try? await API.tag(.forum).get("/v1/users").value()
        _ = try? await API.tag(.forum).get("/v1/moved").value()
        _ = try? await API.tag(.forum).get("/v1/logo").data()
        _ = try? await API.tag(.forum).get("/v1/profile").cache(.never).value()
        _ = try? await API.tag(.forum).get("/v1/profile").cache(.never).value()
        _ = try? await API.tag(.wallet).get("/v1/slow").timeout(.milliseconds(200)).value()
    }

    /// Limits the number of concurrent calls. Serial calls would take too long.
    private func makeCalls(_ count: Int) async {
        await withTaskGroup(of: Void.self) { group in
            for worker in 1...20 {
                group.addTask {
                    for number in stride(from: worker, through: count, by: 20) {
                        _ = try? await API.tag(.forum).get("/v1/item/\(number)").value()
                    }
                }
            }
        }
    }
}
