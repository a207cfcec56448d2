#if os(Linux)
import Foundation
import Testing

@testable import Catena

/// Compressed bodies that are made to do harm.
@Suite(.limitedParallelism) struct ContentDecoderBoundTests {
    /// 200 MB of zeros, compressed twice.
    static let bomb = """
        H4sIAAAAAAACA+3cPS5EURzG4TMfkomIj0KlYBkaiYlES4J6MguwAoWbTFQaC7AHlQWIxg58VBYgCoVKXO5dxnmfpzr1v3xz8tu+npTOcPTxMBj8P5qb37vP
        yXIBAAAAKte8LkbdGFB22ufD4zMAAACgdvO11XE/CvzMtqbOAQAAANW72ttd738IfF2ej50DAAAAqrf5/b7fbwFP7f3GqXsAAABA9V4EAwAAACCKYAAAAABk
        EQwAAACALIIBAAAAEEYwAAAAALIIBgAAAEAWwQAAAADIIhgAAAAAYQQDAAAAIItgAAAAAGQRDAAAAIAsggEAAAAQRjAAAAAAsggGAAAAQBbBAAAAAMgiGAAA
        AABhBAMAAAAgi2AAAAAAZBEMAAAAgCyCAQAAABBGMAAAAACyCAYAAABAFsEAAAAAyCIYAAAAAGEEAwAAACCLYAAAAABkEQwAAACALIIBAAAAEEYwAAAAALII
        BgAAAEAWwQAAAADIIhgAAAAAYQQDAAAAIItgAAAAAGQRDAAAAIAsggEAAAAQRjAAAAAAsggGAAAAQBbBAAAAAMgiGAAAAABhBAMAAAAgi2AAAAAAZBEMAAAA
        gCyCAQAAABDmbXEw7LaAaTu7eCwAAFTidmk+OToppVn5A22ESVhUHAMA
        """

    func decode(_ body: Data, _ codings: String) throws -> Int {
        let decoder = try #require(try ContentDecoder(["Content-Encoding": codings]))
        var size = 0
        try body.withUnsafeBytes { try decoder.decode($0) { size += $0.count } }
        return size
    }

    @Test("a body that unpacks to very much at once is refused before it does")
    func nested() throws {
        let body = try #require(Data(base64Encoded: Self.bomb, options: .ignoreUnknownCharacters))
        let error = #expect(throws: APIError.self) { try decode(body, "gzip, gzip") }
        #expect(error?.kind == .decompression)
        // The inner one alone is no more than it should be.
        #expect(try decode(body, "gzip") < 1_000_000)
    }

    /// 200 MB of zeros, by Brotli.
    static let brotliBomb = """
        y///P/gnAOKxQCD3/o///3/wTwDEYRGA7v0f////4J8AiMMCAN37P/7//8E/ARCHBQC693/8//+DfwIgDgsAdO//+P//B/8EQBwWAOje//H//w/+CYA4LADQvf/j//8f
        /BMAcVgAoHv/x///P/gnAOKwAED3/o///3/wTwDEYQGA7v0f////4J8AiMMCAN37P/7//8E/ARCHBQC693/8//+DfwIgDgsAdO//+P//B/8EQBwWAOje//H//w/+CYA4
        LADQvf/j//8f/BMAcVgAoHv/x///P/gnAOKwAED3/o///3/wTwDEYQGA7v0f////4J8AiMMCAN37P/7//8E/ARCHBQC693/8//+DfwIgDgsAdO//+P//B/8EQBwWAOje
        //H//w/+CYA4LADQvf/L/+A1/BMAcVgAoJu7Bg==
        """

    @Test("Brotli makes much of little; that is refused, too, before it does")
    func brotli() throws {
        let body = try #require(Data(base64Encoded: Self.brotliBomb, options: .ignoreUnknownCharacters))
        var size = 0
        let decoder = try #require(try ContentDecoder(["Content-Encoding": "br"]))
        let error = #expect(throws: APIError.self) {
            try body.withUnsafeBytes { try decoder.decode($0) { size += $0.count } }
        }
        #expect(error?.kind == .decompression)
        #expect(size <= 32 * 1024 * 1024)
    }

    @Test(
        "members with nothing in them are borne with, but not without end", arguments: [(3, true), (16, true), (1000, false)],
        ["gzip", "zstd"])
    func empty(one: (count: Int, isFine: Bool), coding: String) throws {
        let member = Data(
            coding == "gzip"
                ? [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0] : [0x28, 0xB5, 0x2F, 0xFD, 0, 0, 1, 0, 0])
        let body = Data((0..<one.count).flatMap { _ in member })
        if one.isFine {
            #expect(try decode(body, coding) == 0)
        } else {
            #expect(throws: APIError.self) { try decode(body, coding) }
        }
    }
}
#endif
