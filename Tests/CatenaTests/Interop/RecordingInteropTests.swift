import Catena
import CatenaTesting
import Foundation
import Testing

extension InteropTests {
    @Suite("Recording", .enabled(if: InteropTests.httpbin != nil)) struct RecordedHTTPBin {
        @Test("a recording of httpbin replays offline with the same results")
        func replay() async throws {
            let folder = FileManager.default.temporaryDirectory.appendingPathComponent("interop-\(UUID().uuidString)")
            defer { try? FileManager.default.removeItem(at: folder) }
            let file = folder.appendingPathComponent("httpbin.har")

            let recording = try Recording(file, mode: .record)
            let online = try await results(over: recording)
            try recording.save()

            let network = ClosureTransport { _ in throw APIError(.offline, message: "There is no network in replay.") }
            let replay = try Recording(file, mode: .replay, over: network)
            for (offline, online) in zip(try await results(over: replay), online) { #expect(offline == online) }
            try replay.verify()
            #expect(online.count == 10)
        }

        /// Returns the results of calls of all kinds, as text.
        private func results(over recording: Recording) async throws -> [String] {
            let client = Client(testing: recording)
            client.configureDefaults { defaults in
                defaults.host = InteropTests.httpbin
                defaults.envelope = .raw
            }
            let request = client.request
            let bytes = Data((0...255).map { UInt8($0) })
            let values = [
                try await request.get("/get").params(["page": 1, "face": "👋🏽", "timestamp": Date()]).value().args.page,
                try await request.put("/put").json(["id": Int64.max, "list": [1.5, 2]]).value().json,
                try await request.post("/post").form(["name": "a b+c&d=é"]).value().form,
                try await request.post("/post").multipart { form in
                    form.field("name", "Ann")
                    form.data(bytes, name: "file", filename: "a.bin")
                }.value().form,
                try await request.post("/post").body(bytes, contentType: "application/octet-stream").value().data,
                try await request.get("/gzip").value().gzipped,
                try await request.get("/redirect/2").value().args,
                try await request.get("/uuid").value(),
            ]
            let data = try await request.get("/stream-bytes/10000").query(["seed": 1]).execute(.data).value
            let error = try await InteropTests.failure(of: request.get("/status/418").execute(.void))
            let encoder = JSONEncoder()
            encoder.outputFormatting = .sortedKeys
            return try values.map { String(decoding: try encoder.encode($0), as: UTF8.self) }
                + [data.base64EncodedString(), "\(error.code) \(error.message)"]
        }
    }
}
