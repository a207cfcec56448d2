import CatenaTesting
import Foundation
import Testing

@testable import Catena

@Suite("The choice of the decoder", .limitedParallelism)
struct DecodingChoiceTests {
    private enum Key: CodingKey { case roomId }

    private final class Special: JSONDecoder, @unchecked Sendable {}

    private func isOwn(_ decoder: JSONDecoder, _ decoding: Decoding = .strict) -> Bool {
        decoding.decoder(decoder) is JSONPayloadDecoder
    }

    @Test("a JSONDecoder with standard strategies is replaced by the library's decoder with these strategies")
    func standard() {
        let decoder = JSONDecoder()
        #expect(isOwn(decoder))
        decoder.dateDecodingStrategy = .iso8601
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        decoder.dataDecodingStrategy = .deferredToData
        decoder.nonConformingFloatDecodingStrategy = .convertFromString(positiveInfinity: "+", negativeInfinity: "-", nan: "?")
        if let key = CodingUserInfoKey(rawValue: "any") { decoder.userInfo[key] = true }
        #expect(isOwn(decoder))
    }

    @Test("a decoder with other features is used itself, except for lenient decoding")
    func special() {
        let changes: [(JSONDecoder) -> Void] = [
            { $0.allowsJSON5 = true }, { $0.assumesTopLevelDictionary = true }, { $0.dateDecodingStrategy = .custom { _ in Date() } },
            { $0.dataDecodingStrategy = .custom { _ in Data() } }, { $0.keyDecodingStrategy = .custom { $0[0] } },
        ]
        for change in changes {
            let decoder = JSONDecoder()
            change(decoder)
            #expect(!isOwn(decoder))
            #expect(isOwn(decoder, .lenient))
        }
        #expect(!isOwn(Special()))
    }

    @Test("a change of a tag's decoder applies from the next call on")
    func changed() async throws {
        struct Item: Decodable { let roomId: Int? }
        let client = Client(transport: ClosureTransport { _ in .json(#"{"code":0,"data":{"room_id":7}}"#) })
        let decoder = JSONDecoder()
        client.configureDefaults { defaults in
            defaults.host = "https://forum.example.com"
            defaults.decoder = decoder
        }
        #expect(try await client.get("/item").value(as: Item.self).roomId == nil)
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        #expect(try await client.get("/item").value(as: Item.self).roomId == 7)
        decoder.keyDecodingStrategy = .custom { $0[0].stringValue == "data" ? $0[0] : Key.roomId }
        #expect(try await client.get("/item").value(as: Item.self).roomId == 7)
    }

    @Test("zero with an exponent is zero for every numeric type")
    func zero() throws {
        for text in ["0e5", "0.0e-3", "-0e0", "0E+400"] {
            #expect(try JSONPayloadDecoder().decode(Int.self, from: Data(text.utf8)) == 0)
            #expect(try JSONPayloadDecoder().decode(UInt8.self, from: Data(text.utf8)) == 0)
            #expect(try JSONPayloadDecoder().decode(Double.self, from: Data(text.utf8)) == 0)
        }
        #expect(try JSONPayloadDecoder().decode(Decimal.self, from: Data("0e5".utf8)) == 0)
    }

    @Test("bytes with an incomplete character of UTF-16 are refused")
    func halfCharacter() {
        for bytes: [UInt8] in [[0, 56, 52], [49, 0, 125], [34, 0, 0x5C, 0x75, 34, 0]] {
            #expect(throws: DecodingError.self) { try JSONPayloadDecoder().decode(JSON.self, from: Data(bytes)) }
        }
        #expect(throws: Never.self) { try JSONPayloadDecoder().decode(Int.self, from: Data([0, 56, 0, 52])) }
    }

    @Test("a value of a scanned document is found by its bytes in place, not by a copy of them")
    func places() throws {
        let text = Data(#" {"a":[1,{"b":"x","c":[]},"long text of a member"],"d":{"e":{"f":[true,null,[2.5]]}},"g":""} "#.utf8)
        let scan = try JSONScan(text, paths: ["a[1].b", "a[2]", "d.e.f[2]", "d.e", "g", "a[0]"].map { try JSONPath($0) })
        let scanned = try #require(try ScannedDocument.read(text, JSONPathTree([])).1)
        let tape = JSONTape(scanned.text, scanned.entries)
        #expect(scanned.place(of: text) == 0)
        #expect(scan.found.count == 6)
        for finding in scan.found {
            let part = text.bytes(in: finding.span.range)
            let place = try #require(scanned.place(of: part))
            let quote = finding.span.kind == .string ? 1 : 0
            #expect(Int(tape.entry(place).start) == finding.span.range.lowerBound + quote)
            #expect(Int(tape.entry(place).length) == finding.span.range.count - 2 * quote)
            #expect(scanned.place(of: Data([UInt8](part))) == nil)
        }
        #expect(scanned.place(of: text[2..<5]) == nil)
        #expect(scanned.place(of: Data()) == nil)
    }
}
