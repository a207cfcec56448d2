import Catena
import Foundation

/// The bodies of requests.
let uploadRows: [Row] =
    Upload.allCases.flatMap { upload in
        [
            Row("upload from \(upload), 1 B to 64 KB", "/echo?n=65536", "-H", upload.witnessHeader, "--data-binary", "@65536") { site in
                for count in [1, 1000, 16_384, 65_536] { try await expectArrival(of: count, upload, site) }
            },
            Row("upload from \(upload), 8 MB", "/echo?n=8000000", "-H", upload.witnessHeader, "--data-binary", "@8000000") { site in
                try await expectArrival(of: 8_000_000, upload, site)
            },
        ]
    } + [
        Row("early response of 1 KB to 60 KB from memory", "/early?n=1000", "--data-binary", "@60000") { site in
            try await repeated(20) { _ in try await expectEarly(1000, sending: 60_000, .memory, [:], site) }
        },
        Row("early response of 60 KB to 60 KB from memory", "/early?n=60000", "--data-binary", "@60000") { site in
            try await repeated(20) { _ in try await expectEarly(60_000, sending: 60_000, .memory, [:], site) }
        },
        Row("early response to 8 MB from memory", "/early?n=1000", "--data-binary", "@8000000") { site in
            try await repeated(10) { _ in try await expectEarly(1000, sending: 8_000_000, .memory, [:], site) }
        },
        Row("early response to 8 MB from a stream", "/early?n=1000", "-H", "Transfer-Encoding: chunked", "--data-binary", "@8000000") {
            site in
            try await repeated(10) { _ in try await expectEarly(1000, sending: 8_000_000, .stream, [:], site) }
        },
        Row("early response, then the connection ends, to 60 KB", "/early?n=1000&close", "--data-binary", "@60000") { site in
            try await repeated(20) { _ in try await expectEarly(1000, sending: 60_000, .memory, ["close": 1], site) }
        },
        Row("early response, then the connection ends, to 8 MB from a file", "/early?n=1000&close", "--data-binary", "@8000000") { site in
            try await repeated(10) { _ in try await expectEarly(1000, sending: 8_000_000, .file, ["close": 1], site) }
        },
    ]

private enum Upload: String, CaseIterable {
    case memory, file, stream, form

    /// The header with which curl(1) sends a body like this: of a stream it does not announce the length.
    var witnessHeader: String { self == .stream ? "Transfer-Encoding: chunked" : "X-Made-Up: 1" }

    func body(_ count: Int, of request: Request, _ site: Site) throws -> Request {
        switch self {
        case .memory: return request.body(Pattern.bytes(count), contentType: "application/octet-stream")
        case .file: return request.body(file: try site.file(of: count))
        case .stream: return request.body(BodySource(stream: { Pattern.stream(count) }), contentType: "application/octet-stream")
        case .form:
            return request.multipart { form in
                form.field("title", "A lake")
                form.data(Pattern.bytes(count), name: "file", filename: "lake.bin")
            }
        }
    }
}

private func expectArrival(of count: Int, _ upload: Upload, _ site: Site) async throws {
    let echo = try await upload.body(count, of: site.client.post("/echo").query(["n": count]), site).value(as: Echo.self)
    if upload != .form { try expect("length", echo.length, count) }
    try expect("bytes arrived", echo.holds, true)
}

private func expectEarly(_ count: Int, sending length: Int, _ upload: Upload, _ query: Params, _ site: Site) async throws {
    let error = try await failure {
        try await upload.body(length, of: site.client.post("/early").query(["n": count]).query(query), site).void()
    }
    guard error.status == 413 else { throw error }
    try expect("length of the response", error.body?.count, count)
}
