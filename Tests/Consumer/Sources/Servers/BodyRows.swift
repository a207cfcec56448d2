import Catena
import Foundation

/// The bodies of responses.
let bodyRows: [Row] = [
    Row("bodies of 0 B to 100 KB", "/bytes?n=65536") { site in
        for count in [0, 1, 1000, 16_384, 16_385, 65_536, 100_000] { try await expectBytes(count, site) }
    },
    Row("body of 8 MB", "/bytes?n=8388608") { site in try await expectBytes(8_388_608, site) },
    Row("body in chunks", "/bytes?n=100000&chunked&pieces=7") { site in
        try await expectBytes(100_000, site, ["chunked": 1, "pieces": 7])
    },
    Row("empty body in chunks", "/bytes?n=0&chunked") { site in try await expectBytes(0, site, ["chunked": 1]) },
    Row("gzip", "/bytes?n=100000&gzip", "--compressed") { site in try await expectBytes(100_000, site, ["gzip": 1]) },
    Row("gzip in chunks", "/bytes?n=100000&gzip&chunked&pieces=3", "--compressed") { site in
        try await expectBytes(100_000, site, ["gzip": 1, "chunked": 1, "pieces": 3])
    },
    Row("slow body", "/bytes?n=1000&pieces=5&pause=100") { site in try await expectBytes(1000, site, ["pieces": 5, "pause": 100]) },
    Row("204", "/status?code=204") { site in
        try await repeated(5) { _ in try await site.client.get("/status").query(["code": 204]).void() }
    },
    Row("304", "/file", "-H", "If-None-Match: \"v1\"") { site in
        try await repeated(5) { _ in
            let error = try await failure { _ = try await site.client.get("/file").header("If-None-Match", "\"v1\"").data() }
            try expect("status", error.status, 304)
        }
    },
    Row("404 without a body", "/none") { site in
        try expect("status", try await failure { try await site.client.get("/none").void() }.status, 404)
    },
    Row("trailers", "/trailers") { site in
        try await repeated(5) { _ in _ = try await site.client.get("/trailers").value(as: Fine.self) }
    },
    Row("redirect", "/redirect?code=302&to=/echo", "--location") { site in
        let echo = try await site.client.get("/redirect").query(["code": 302, "to": "/echo?n=0"]).value(as: Echo.self)
        try expect("target", echo.target, "/echo?n=0")
    },
    Row("redirect of a POST with 307", "/redirect?code=307&to=/echo", "--location", "--data-binary", "@1000") { site in
        let echo = try await site.client.post("/redirect").query(["code": 307, "to": "/echo?n=1000"])
            .body(Pattern.bytes(1000), contentType: "application/octet-stream").value(as: Echo.self)
        try expect("method", echo.method, "POST")
        try expect("bytes arrived", echo.holds, true)
    },
    Row("reset in the midst of a body is an error", "/cut?n=20000") { site in
        try await repeated(20) { _ in
            let error = try await failure { _ = try await site.client.get("/cut").query(["n": 20_000]).timeout(.seconds(2)).data() }
            // A server that loses its backend may blame the protocol.
            if error.kind != .protocolViolation { try expect("kind", error.kind, .connectionLost) }
        }
    },
    Row("server-sent events", "/events?n=5") { site in
        var received: [String] = []
        for try await event in site.client.get("/events").query(["n": 5]).events(reconnecting: .never) { received.append(event.data) }
        try expect("events", received, ["1", "2", "3", "4", "5"])
    },
    Row("stream of 8 MB", "/bytes?n=8388608") { site in
        var body = Data()
        for try await piece in site.client.get("/bytes").query(["n": 8_388_608]).stream() { body.append(piece) }
        try expect("bytes are right", body == Pattern.bytes(8_388_608), true)
    },
    Row("range", "/file", "--range", "10-19") { site in
        let body = try await site.client.get("/file").header("Range", "bytes=10-19").data()
        try expect("bytes", body, Pattern.bytes(20).suffix(10))
    },
    Row("download", "/file") { site in
        let file = site.folder.appending(path: "download")
        _ = try await site.client.get("/file").download(to: file)
        try expect("bytes are right", try Data(contentsOf: file) == Pattern.bytes(1_000_000), true)
    },
    Row("resumed download", "/file", "--range", "500000-") { site in
        let file = site.folder.appending(path: "resumed-\(UUID().uuidString)")
        let begun = site.client.get("/file").query(["pause": 3000]).execute(.download(to: file))
        let part = file.deletingLastPathComponent().appending(path: ".\(file.lastPathComponent).part").path(percentEncoded: false)
        for _ in 0..<100 {
            try await Task.sleep(for: .milliseconds(20))
            let size = (try? FileManager.default.attributesOfItem(atPath: part)[.size] as? Int) ?? 0
            if size > 0 { break }
        }
        begun.cancel()
        _ = await begun.result
        let download = try await site.client.get("/file").query(["pause": 3000]).download(to: file)
        try expect("bytes are right", try Data(contentsOf: file) == Pattern.bytes(1_000_000), true)
        try expect("download is resumed", download.resumedFrom > 0, true)
    },
]

private func expectBytes(_ count: Int, _ site: Site, _ query: Params = [:]) async throws {
    let body = try await site.client.get("/bytes").query(["n": count]).query(query).data()
    try expect("length", body.count, count)
    try expect("bytes are right", body == Pattern.bytes(count), true)
}
