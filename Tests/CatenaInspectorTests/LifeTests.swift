import Catena
import CatenaTesting
import Foundation
import Testing

@testable import CatenaInspector

@Suite("Start and stop of the inspector", .limitedParallelism) struct LifeTests {
    @Test("the inspector prints its address, and beside it the key, which is no part of the address")
    func address() throws {
        let probe = try Probe()
        #expect(probe.announced.contains(probe.inspector.url.absoluteString))
        #expect(probe.inspector.url.absoluteString.hasPrefix("http://127.0.0.1:"))
        #expect(probe.inspector.key.count == 32)
        #expect(probe.announced.contains(probe.inspector.key))
        #expect(!probe.inspector.url.absoluteString.contains(probe.inspector.key))
    }

    @Test("a second inspector takes another port if its port is in use, and prints that")
    func port() throws {
        let first = try Probe()
        let taken = first.inspector.url.port ?? 0
        let second = try Probe { $0.port = taken }
        #expect(second.inspector.url.port != taken)
        #expect(second.announced.contains("port \(taken) is taken"))
    }

    @Test("the secret by which a page recognizes the next start is kept, and its file is readable by its owner only")
    func renewal() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "catena-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let secret = InspectorKey.kept(in: folder, port: 8642)
        #expect(InspectorKey.kept(in: folder, port: 8642) == secret)
        #expect(InspectorKey.kept(in: folder, port: 8643) != secret)
        let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
        let file = try #require(files.first { $0.lastPathComponent.hasSuffix("-8642.renewal") })
        let attributes = try FileManager.default.attributesOfItem(atPath: file.path(percentEncoded: false))
        #expect(attributes[.posixPermissions] as? Int == 0o600)
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: file.path(percentEncoded: false))
        #expect(InspectorKey.kept(in: folder, port: 8642) != secret)
    }

    @Test("a stopped inspector serves no requests, records no calls and has no effects")
    func stop() async throws {
        let probe = try Probe()
        probe.stubs.get("/a").reply(data: 1)
        try await probe.post("/api/effects").json(["kind": "offline"]).execute(.void).value
        probe.inspector.stop()
        _ = try await probe.client.get("/a").value()
        #expect(probe.inspector.store.count == CallStore.Count())
        guard case .failure(let error as APIError) = await probe.get("/api/hello").execute().result else { return #expect(Bool(false)) }
        #expect(error.kind == .connect)
        probe.inspector.stop()
    }

    @Test("two inspectors of one client do not affect each other")
    func two() async throws {
        let first = try Probe()
        let second = try Probe(watching: first.client)
        first.stubs.get("/a").reply(data: 1)
        try await first.post("/api/effects").json(["kind": "slow", "delay": 1]).execute(.void).value
        try await second.post("/api/effects").json(["kind": "slow", "delay": 1]).execute(.void).value
        _ = try await first.client.get("/a").value()
        #expect(try await first.rows().count == 1)
        #expect(try await second.rows().count == 1)
        first.inspector.stop()
        _ = try await first.client.get("/a").value()
        #expect(try await second.rows().count == 2)
    }

    @Test("a new page receives effects and calls, and then every change")
    func events() async throws {
        let probe = try Probe()
        probe.stubs.get("/*").reply(data: 1)
        _ = try await probe.client.get("/before").value()
        var events = probe.get("/api/events").events(reconnecting: .never).makeAsyncIterator()
        #expect(try await events.next()?.event == "effects")
        let first = try JSON(parsing: Data((try await events.next())?.data.utf8 ?? "".utf8))
        #expect(first.calls.array?.compactMap(\.path.string) == ["/before"])
        #expect(first.total.int == 1)
        _ = try await probe.client.get("/after").value()
        let second = try JSON(parsing: Data((try await events.next())?.data.utf8 ?? "".utf8))
        #expect(second.calls.array?.compactMap(\.path.string) == ["/after"])
        try await probe.post("/api/clear").execute(.void).value
        #expect(try await events.next()?.event == "cleared")
        try await probe.post("/api/effects").json(["kind": "offline"]).execute(.void).value
        while let event = try await events.next() {
            guard event.event == "effects" else { continue }
            #expect(try JSON(parsing: Data(event.data.utf8)).effects[0].kind.string == "offline")
            break
        }
    }

    @Test("a stream is a running call until it has been read")
    func stream() async throws {
        let server = try LoopbackServer()
        let gate = LoopbackGate()
        server.get("/lines") { _ in .chunked(["one\n", "two\n"]).stalled(after: 4, by: gate) }
        let client = Client()
        let probe = try Probe(watching: client)
        var lines = client.host(server.url).get("/lines").lines().makeAsyncIterator()
        #expect(try await lines.next() == "one")
        #expect(try await probe.row().state.string == "running")
        #expect(try await probe.row().received.int == 4)
        gate.open()
        #expect(try await lines.next() == "two")
        #expect(try await lines.next() == nil)
        #expect(try await probe.row().state.string == "succeeded")
        #expect(try await probe.detail(probe.row()).attempts[0].response.body.hidden.string?.contains("piece by piece") == true)
    }

    @Test("all calls or the selected ones are exported as HAR, and an inspector without an app shows such a file")
    func archive() async throws {
        let probe = try Probe()
        probe.stubs.get("/*").reply(data: ["name": "Ada"])
        for path in ["/a", "/b", "/c"] { _ = try await probe.client.get(path).value() }
        let ids = try await probe.rows().prefix(2).map { "\($0.id.int ?? 0)" }.joined(separator: ",")
        #expect(try await probe.get("/api/har?ids=\(ids)").value().log.entries.array?.count == 2)
        let data = try await probe.get("/api/har").execute(.data).value
        let log = try JSON(parsing: data).log
        #expect(log.version.string == "1.2")
        #expect(log.entries.array?.compactMap(\.request.url.string).map { $0.suffix(2) } == ["/a", "/b", "/c"])
        #expect(log.entries[0].response.content.text.string?.contains("Ada") == true)

        var settings = InspectorSettings()
        (settings.port, settings.keyFolder, settings.announce) = (0, nil, { _ in })
        let viewer = try Inspector.start(.archive(data), settings)
        defer { viewer.stop() }
        let page = Client().host("http://127.0.0.1:\(viewer.url.port ?? 0)").header("X-Inspector-Key", viewer.key).envelope(.raw)
        #expect(try await page.get("/api/hello").value().har.bool == true)
        #expect(try await page.get("/api/archive").execute(.data).value == data)
    }

    @Test("a file that is not HAR is refused with the reason", arguments: [("", "no HAR file"), ("{}", "log.entries"), ("<html>", "JSON")])
    func noArchive(text: String, words: String) throws {
        do {
            _ = try Inspector.start(.archive(Data(text.utf8)), InspectorSettings())
            #expect(Bool(false))
        } catch let error as Inspector.StartError {
            #expect(error.description.contains(words))
        }
    }

    @Test("an inspector without its page does not start, and the error names the missing resources")
    func missingPage() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "catena-\(UUID().uuidString)")
        #expect(throws: (any Error).self) { _ = try Probe { $0.page = folder } }
        #expect(PageFolder.Missing(places: [folder]).description.contains("resources of CatenaInspector"))
    }
}
