import Catena
import CatenaInspector
import CatenaTesting
import Foundation

/// Makes calls of all sorts repeatedly, for the inspector to show.
struct InspectedCalls {
    private let backends: Backends
    private let workshop: Workshop

    /// Runs `catena-demo --inspect [--port PORT] [--rounds ROUNDS] [--show-secrets]`. Without a number of rounds it runs until it is ended.
    static func run(_ arguments: [String]) async -> Int32 {
        var (port, rounds, showsSecrets): (Int, Int, Bool) = (8642, .max, false)
        var rest = arguments[...]
        while let option = rest.popFirst() {
            switch (option, rest.first.flatMap { Int($0) }) {
            case ("--port", let number?): (port, rest) = (number, rest.dropFirst())
            case ("--rounds", let number?): (rounds, rest) = (number, rest.dropFirst())
            case ("--show-secrets", _): showsSecrets = true
            default:
                print("usage: catena-demo --inspect [--port PORT] [--rounds ROUNDS] [--show-secrets]")
                return 2
            }
        }
        do {
            let calls = InspectedCalls(backends: try Backends(), workshop: try Workshop())
            Tour(backends: calls.backends).configure()
            calls.workshop.configure()
            let inspector = try await Inspector.start(for: .shared, port: port, showsSecrets: showsSecrets)
            print("Calls are made every two seconds. Ctrl-C ends it.")
            // Flush, so that a program that reads the output through a pipe sees it now.
            fflush(nil)
            for _ in 0..<max(rounds, 0) { await calls.round() }
            inspector.stop()
            calls.backends.stop()
            calls.workshop.server.stop()
            return 0
        } catch {
            print("The inspector could not be started: \(error)")
            return 1
        }
    }

    /// Ignores errors, because the inspector shows them.
    private func round() async {
        for scenario in Tour(backends: backends).scenarios { _ = try? await scenario.run() }
        await withTaskGroup(of: Void.self) { group in
            for call in calls {
                group.addTask { _ = try? await call() }
                try? await Task.sleep(for: .milliseconds(80))
            }
        }
        try? await Task.sleep(for: .seconds(2))
    }

    private var calls: [@Sendable () async throws -> Void] {
        [
            { try await API.tag(.workshop).get("/flaky").value() },
            { try await API.tag(.account).get("/me").value() },
            { try await API.tag(.catalog).get("/catalog").value() },
            { try await API.tag(.catalog).get("/catalog").value() },
            { for try await _ in API.tag(.workshop).get("/items").pages(of: User.self, by: .number("page")) {} },
            { for try await _ in API.tag(.workshop).get("/events").events(reconnecting: .never) {} },
            { try await download() },
            { try await API.tag(.signed).post("/orders").params(["book": "On Chains", "count": 2]).value() },
            { try await API.tag(.workshop).get("/stubbed").stub(data: ["from": "a stub"]).value() },
            { try await API.tag(.workshop).get("/old").value() },
            { _ = try await API.tag(.workshop).get("/picture").data() },
            { try await API.tag(.workshop).get("/strange").value() },
            { try await API.tag(.workshop).get("/model").value(as: User.self) },
            { try await API.tag(.workshop).post("/upload").body(Data(repeating: 65, count: 400_000), contentType: "text/plain").value() },
        ]
    }

    private func download() async throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "catena-demo-\(UUID().uuidString).bin")
        defer { try? FileManager.default.removeItem(at: file) }
        _ = try await API.tag(.workshop).get("/report.bin").download(to: file, resumes: false)
    }
}

/// Shows a HAR file, without an app.
enum ArchiveView {
    /// Runs `catena-demo --har FILE [--port PORT]`.
    static func run(_ arguments: [String]) async -> Int32 {
        guard let path = arguments.first, !path.hasPrefix("-"), arguments.count == 1 || arguments.count == 3 && arguments[1] == "--port",
            let port = arguments.count == 3 ? Int(arguments[2]) : 8642
        else {
            print("usage: catena-demo --har FILE [--port PORT]")
            return 2
        }
        do {
            let file = URL(filePath: path)
            let inspector = try Inspector.start(showing: try Data(contentsOf: file), named: file.lastPathComponent, port: port)
            print("It shows \(path). Ctrl-C ends it.")
            fflush(nil)
            // Unsafe, because a checked continuation would warn that it is never resumed.
            await withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in withExtendedLifetime(inspector) {} }
            return 0
        } catch let error as Inspector.StartError {
            print("\(path) could not be shown: \(error)")
        } catch {
            print("\(path) could not be read: \(error.localizedDescription)")
        }
        return 1
    }
}
