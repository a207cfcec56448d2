import Catena
import Foundation

/// The heads of requests and responses.
let headRows: [Row] =
    [
        Row("small GET", "/echo") { site in
            let echo = try await site.client.get("/echo").value(as: Echo.self)
            try expect("method", echo.method, "GET")
        },
        Row("HEAD", "/bytes?n=1000", "--head") { site in
            let response = try await site.client.head("/bytes").query(["n": 1000]).response(as: JSON?.self)
            try expect("status", response.status, 200)
            try expect("length", response.headers["Content-Length"], "1000")
        },
        Row("other methods", "/echo", "--request", "DELETE") { site in
            for method in [HTTPMethod.put, .patch, .delete, .options] {
                let echo = try await site.client.method(method).path("/echo").value(as: Echo.self)
                try expect("method", echo.method, method.name)
            }
        },
        Row("encodings of queries", "/echo?q=a%20b&c=%C3%BC&d=%25&e=%2B") { site in
            let request = site.client.get("/echo").query(["q": "a b", "c": "ü", "d": "%", "e": "+&=", "f": "/?:@"])
            try await expectTarget(of: request)
        },
        Row("encodings of paths", "/echo/a%2Fb/%C3%BC/c%20d/%252F") { site in
            let (slash, umlaut, space, percent, params) = ("a/b", "ü", "c d", "%2F", "e;f=1,2")
            try await expectTarget(of: site.client.get("/echo/\(slash)/\(umlaut)/\(space)/\(percent)/\(params)"))
        },
        Row("repeated request headers", "/echo", "-H", "X-Twice: a", "-H", "X-Twice: b") { site in
            let echo = try await site.client.get("/echo").header("X-Twice", "a").header("X-Twice", adding: "b").value(as: Echo.self)
            try expect("X-Twice", echo.twice.filter { $0 != " " }, "a,b")
        },
        Row("repeated response headers", "/twice") { site in
            let response = try await site.client.get("/twice").response(as: Fine.self)
            let values = response.headers.values(for: "X-Twice").joined(separator: ",").filter { $0 != " " }
            try expect("X-Twice", values, "a,b")
        },
        Row("request header of 6 KB", "/echo", "-H", "X-Large: \(String(repeating: "l", count: 6000))") { site in
            let echo = try await site.client.get("/echo").header("X-Large", String(repeating: "l", count: 6000)).value(as: Echo.self)
            try expect("length", echo.large, 6000)
        },
        Row("request head of 100 KB gets a response", "/echo", "-H", "X-Large: \(String(repeating: "l", count: 100_000))") { site in
            do {
                let echo = try await site.client.get("/echo").header("X-Large", String(repeating: "l", count: 100_000)).value(as: Echo.self)
                try expect("length", echo.large, 100_000)
            } catch let error as APIError where (400...499).contains(error.status ?? 0) {
                // The server limits the size of heads.
            } catch let error as APIError where error.kind == .invalidRequest && site.mode == .plainHTTP2 {
                // Without TLS there is no HTTP/1.1 to fall back to. The error names the size.
            }
        },
        Row("interim response", "/hints") { site in
            try await repeated(10) { _ in _ = try await site.client.get("/hints").timeout(.seconds(2)).value(as: Fine.self) }
        },
    ] + [4, 20, 60].flatMap(rowsOfLargeHeads)

private func rowsOfLargeHeads(kilobytes: Int) -> [Row] {
    [
        Row("response head of \(kilobytes) KB, first connection", "/head?kb=\(kilobytes)") { site in
            try await repeated(20) { _ in
                let client = try site.newClient()
                defer { client.shutdown() }
                try await expectHead(of: kilobytes, client)
            }
        },
        Row("response head of \(kilobytes) KB, kept connection", "/head?kb=\(kilobytes)") { site in
            try await repeated(20) { _ in try await expectHead(of: kilobytes, site.client) }
        },
    ]
}

private func expectHead(of kilobytes: Int, _ client: Client) async throws {
    let response = try await client.get("/head").query(["kb": kilobytes]).timeout(.seconds(2)).response(as: Fine.self)
    try expect("headers", response.headers.fields.count { $0.name.lowercased().hasPrefix("x-fill-") }, kilobytes)
}

/// Expects that the server receives path and query as they were sent.
private func expectTarget(of request: Request) async throws {
    let sent = try await request.preview().address.text
    let path = sent.range(of: "/echo").map { String(sent[$0.lowerBound...]) }
    try expect("target", try await request.value(as: Echo.self).target, path ?? sent)
}
