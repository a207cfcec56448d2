import Catena
import Foundation

/// The use of connections: reuse, many at a time, cancelling, time limits, sign-in and restarts.
let connectionRows: [Row] = [
    Row("200 calls on kept connections") { site in
        let client = try site.newClient()
        defer { client.shutdown() }
        var connections = 0
        try await repeated(200) { _ in
            let response = try await client.get("/echo").response(as: Echo.self)
            if response.timings?.connect != nil { connections += 1 }
        }
        // Before 8.4 libcurl opens a connection for each call over HTTP/2 without TLS.
        if site.mode != .plainHTTP2 || connections != 200 { try expect("connections", connections, 1) }
    },
    Row("64 calls at a time", "/bytes?n=10000&pieces=2&pause=50") { site in
        let calls: [Promise<Data>] = (0..<64).map { number in
            site.client.get("/bytes").query(["n": 10_000 + number, "pieces": 2, "pause": 50]).execute(.data)
        }
        for (number, call) in calls.enumerated() { try expect("length", try await call.value.count, 10_000 + number) }
    },
    Row("64 POSTs at a time", "/echo?n=1000", "--data-binary", "@1000") { site in
        let calls = (0..<64).map { number in
            site.client.post("/echo").query(["n": 1000]).body(Pattern.bytes(1000 + number), contentType: "application/octet-stream")
                .execute(as: Echo.self)
        }
        for (number, call) in calls.enumerated() { try expect("length", try await call.value.length, 1000 + number) }
    },
    Row("calls after ten cancelled ones", "/echo") { site in
        for _ in 0..<10 {
            let call = site.client.get("/bytes").query(["n": 1_000_000, "pieces": 50, "pause": 20]).execute(.data)
            try await Task.sleep(for: .milliseconds(50))
            call.cancel()
            _ = try await site.client.get("/echo").value(as: Echo.self)
        }
    },
    Row("calls after ten streams that were left", "/echo") { site in
        for _ in 0..<10 {
            for try await _ in site.client.get("/bytes").query(["n": 1_000_000, "pieces": 50, "pause": 20]).stream() { break }
            _ = try await site.client.get("/echo").value(as: Echo.self)
        }
    },
    Row("calls after three timeouts", "/echo") { site in
        for _ in 0..<3 {
            let error = try await failure { try await site.client.get("/hang").timeout(.milliseconds(300)).void() }
            try expect("kind", error.kind, .timeout)
            _ = try await site.client.get("/echo").value(as: Echo.self)
        }
    },
    Row("cookies", "/cookies") { site in
        let client = try site.newClient()
        defer { client.shutdown() }
        let jar = CookieJar()
        client.configureDefaults { $0.cookieJar = jar }
        _ = try await client.get("/cookies").value(as: Fine.self)
        let cookie = try await client.get("/echo").value(as: Echo.self).cookie
        try expect("cookies", Set(cookie.components(separatedBy: "; ")), ["one=1", "two=2"])
    },
    Row("digest", "/digest", "--digest", "--user", "ann:made-up") { site in
        let client = try site.newClient()
        defer { client.shutdown() }
        client.configureDefaults { $0.authentication = .digest(user: "ann", password: "made-up") }
        for _ in 0..<3 { _ = try await client.get("/digest").value(as: Fine.self) }
        _ = try await client.post("/digest").body(Pattern.bytes(1000), contentType: "application/octet-stream").value(as: Fine.self)
    },
    Row("TLS 1.3 at least", "/echo", "--tlsv1.3") { site in
        let client = try site.newClient { $0.minimumTLSVersion = .v1_3 }
        defer { client.shutdown() }
        _ = try await client.get("/echo").value(as: Echo.self)
    },
    Row("graceful reloads while 400 calls run") { site in
        let reload = ProcessInfo.processInfo.environment["CATENA_SERVERS_RELOAD"] ?? ""
        try await repeated(4) { _ in
            let calls = (0..<100).map { number in site.client.get("/work").query(["pause": number]).execute(as: Fine.self) }
            try Command.run("sh", ["-c", reload])
            try await repeated(100) { number in _ = try await calls[number].value }
        }
    },
]
