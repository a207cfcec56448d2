import Catena
import CatenaURLSession
import Foundation

/// Measures the platform's transport under load: alone and below whole calls, with small and large responses.
func transportGroup(_ effort: Effort) async throws {
    let page = #"{"code":0,"data":[\#(String(repeating: #"{"id":7,"name":"a name"},"#, count: 4000))null]}"#
    let server = try BenchServer.start(
        files: ["/item": BenchServer.item, "/page": Data(page.utf8)])
    defer { server.stop() }
    print("  against \(server.name)")

    let transport = PlatformTransportUnderTest.make()
    let client = Client(transport: transport)
    client.configure("bench") { $0.host = server.url }
    let small = try await client.tag("bench").get("/item").preview()
    let large = try await client.tag("bench").get("/page").preview()

    for width in [1, 8, 64, 1000] {
        try await compare(
            "small JSON, \(width) at a time", iterations: effort.iterations(width == 1 ? 10_000 : 20_000), effort: effort,
            [
                Alternative(name: "URLSessionTransport, bare") { count in
                    try await concurrently(count / 5, width: width) {
                        keep(try await URLSessionTransport.shared.send(small).body.collect(limit: 1_000_000))
                    }
                }.scaled(by: 5),
                Alternative(name: "the platform's transport, bare") { count in
                    try await concurrently(count, width: width) {
                        keep(try await transport.send(small).body.collect(limit: 1_000_000))
                    }
                },
                Alternative(name: "whole calls over it, with decoding") { count in
                    try await concurrently(count, width: width) {
                        keep(try await client.tag("bench").get("/item").value(as: Item.self))
                    }
                },
            ])
        try rawLimit(server.url + "/item", width: width)
    }
    try await compare(
        "100 KB of JSON, 8 at a time", iterations: effort.iterations(2_000), effort: effort,
        [
            Alternative(name: "URLSessionTransport, bare") { count in
                try await concurrently(count, width: 8) {
                    keep(try await URLSessionTransport.shared.send(large).body.collect(limit: 1_000_000))
                }
            },
            Alternative(name: "the platform's transport, bare") { count in
                try await concurrently(count, width: 8) { keep(try await transport.send(large).body.collect(limit: 1_000_000)) }
            },
        ])
    print("  processor time for one call, 64 at a time")
    let count = effort.iterations(20_000)
    let bare = try await processorTime(of: "bare", count: count) {
        keep(try await transport.send(small).body.collect(limit: 1_000_000))
    }
    let whole = try await processorTime(of: "whole calls, with decoding", count: count) {
        keep(try await client.tag("bench").get("/item").value(as: Item.self))
    }
    print("    the chain adds \(String(format: "%.1f", whole - bare)) us")
    try await memoryOfWaitingRequests()
}

private struct Item: Codable, Sendable {
    let id: Int
    let name: String
}

enum PlatformTransportUnderTest {
    static func make() -> any Transport {
        #if os(Linux)
        if let engine = try? CurlTransport() { return engine }
        #endif
        return URLSessionTransport.shared
    }
}
