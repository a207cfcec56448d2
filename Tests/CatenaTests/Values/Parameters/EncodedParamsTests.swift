import CatenaTesting
import Foundation
import Testing

@testable import Catena

@Suite("Params of Encodable values", .limitedParallelism)
struct EncodedParamsTests {
    private struct Filter: Encodable {
        var createdAfter = Date(timeIntervalSince1970: 1_700_000_000.25)
        var pageSize = 2
        var nestedFilter = Nested()
        var extraValues = ["rawKey": Date(timeIntervalSince1970: 1_700_000_000)]
    }

    private struct Nested: Encodable {
        var isOpen = true
    }

    private func client(_ change: (JSONEncoder) -> Void) -> Client {
        let client = Client(testing: Stubs())
        let encoder = JSONEncoder()
        change(encoder)
        client.configure("forum") { $0.encoder = encoder }
        return client
    }

    @Test("they follow the encoder of the tag, as a JSON body does")
    func encoder() async throws {
        let client = client { encoder in
            encoder.keyEncodingStrategy = .convertToSnakeCase
            encoder.dateEncodingStrategy = .millisecondsSince1970
        }
        let request = client.tag("forum").get("/a").params(Filter())
        let query = try #require(try await request.preview().address.query)
        #expect(
            query
                == "created_after=1700000000250&page_size=2&nested_filter[is_open]=true&extra_values[rawKey]=1700000000000"
                .replacingOccurrences(of: "[", with: "%5B").replacingOccurrences(of: "]", with: "%5D"))
        let form = try await client.tag("forum").post("/a").form(Filter()).preview()
        #expect(form.body.map { String(decoding: $0, as: UTF8.self) }?.hasPrefix("created_after=1700000000250&page_size=2") == true)
        let json = try await client.tag("forum").post("/a").params(Filter()).preview()
        #expect(json.body.map { String(decoding: $0, as: UTF8.self) }?.hasPrefix(#"{"created_after":1700000000250,"page_size":2"#) == true)
    }

    @Test("the tag may be set after the params, and names and dates of literals are as they are written")
    func order() async throws {
        let client = client { encoder in
            encoder.keyEncodingStrategy = .convertToSnakeCase
            encoder.dateEncodingStrategy = .secondsSince1970
        }
        let request = client.get("/a").params(Nested()).params(["rawName": 1, "at": Date(timeIntervalSince1970: 0)]).param("isOpen", false)
            .tag("forum")
        #expect(
            try await request.preview().address.query
                == "isOpen=false&rawName=1&at=1970-01-01T00:00:00Z".replacingOccurrences(of: ":", with: "%3A"))
        let merged = client.get("/a").params(Nested()).tag("forum")
        #expect(try await merged.preview().address.query == "is_open=true")
    }

    @Test("without an encoder of the tag, names are kept and dates have the style of params")
    func withoutEncoder() async throws {
        let request = Client(testing: Stubs()).get("/a").params(Filter())
        #expect(try await request.preview().address.query?.hasPrefix("createdAfter=2023-11-14T22%3A13%3A20.250Z&pageSize=2") == true)
    }

    @Test("custom strategies of the encoder are used, and their errors fail the call")
    func custom() async throws {
        let client = client { encoder in
            encoder.keyEncodingStrategy = .custom { path in AnyKey(path.map(\.stringValue).joined(separator: "_").uppercased()) }
            encoder.dateEncodingStrategy = .custom { date, encoder in
                var container = encoder.singleValueContainer()
                try container.encode("day \(Int(date.timeIntervalSince1970) / 86_400)")
            }
        }
        let query = try #require(try await client.tag("forum").get("/a").params(Filter()).preview().address.query)
        #expect(query.hasPrefix("CREATEDAFTER=day%2019675&PAGESIZE=2&NESTEDFILTER%5BNESTEDFILTER_ISOPEN%5D=true"), "\(query)")
    }

    @Test("a date that has no text fails the call, also inside a JSON value")
    func farDate() async throws {
        let date = Date(timeIntervalSince1970: 1e12)
        let client = Client(testing: Stubs())
        for request in [
            client.post("/a").params(["at": JSON(date)]), client.get("/a").params(["at": date]),
            client.post("/a").json(JSON(["at": date] as Params)),
        ] {
            let error = await #expect(throws: APIError.self) { try await request.preview() }
            #expect(error?.kind == .invalidRequest)
        }
    }

    @Test(
        "a date of params keeps its fraction",
        arguments: [
            (0.0, "1970-01-01T00:00:00Z"), (0.25, "1970-01-01T00:00:00.250Z"), (-0.5, "1969-12-31T23:59:59.500Z"),
            (1_700_000_000.123, "2023-11-14T22:13:20.123Z"), (1_700_000_000.123_456, "2023-11-14T22:13:20.123456Z"),
            (1_700_000_000.999_999_9, "2023-11-14T22:13:21Z"),
        ])
    func fraction(seconds: Double, text: String) throws {
        #expect(try ParameterStyle().text(of: Date(timeIntervalSince1970: seconds)) == text)
    }
}

private struct AnyKey: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }
    init(_ text: String) { stringValue = text }
    init(stringValue: String) { self.init(stringValue) }
    init?(intValue: Int) { nil }
}
