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
        decoder.append(body)
        while let piece = try decoder.next() {
            #expect(piece.count <= ContentDecoder.longestPiece)
            size += piece.count
        }
        return size
    }

    /// 40 MB of empty deflate blocks, compressed twice. They unpack to no byte.
    static let hollow = """
        H4sIAAAAAAACA+3dvStFcRzH8XMP6irkYUTILaMsumURA9fAn4BsHgbLXd2kJA/JbrXJXa5kkRgMJosbm+7IIouSo3P+jJ/Xt9df8Fnfw3dgPx+lFze934/loqgtHlwZfbxe
        7SpeLTzNnRRKAAAAAABAQA5Pi4UsDXwmteHm18sNAAAAAAAgLO0Tm7NZDGgkazN5gwAAAAAAQHB6y2/HWQx4SJ6POtcNAgAAAAAAoRl/vx/KpTHgOLnoH6obBAAAAAAAglPf
        m47TGDCYLE5MVQ0CAAAAAADBqfbsNqcxYPL3pryzZBAAAAAAAAjO8khHaxoDKj9bH/lbgwAAAAAAQHDu5vu6sw/C38lL17ZBAAAAAAAgOGenxULaAjq/ktr0TqVQOgEAAAAA
        4D8bbzk/aHTHUSX+Awubr1HF7gAA
        """

    @Test("a body that unpacks to very many bytes between two codings is refused")
    func nested() throws {
        let hollow = try #require(Data(base64Encoded: Self.hollow, options: .ignoreUnknownCharacters))
        let error = #expect(throws: APIError.self) { try decode(hollow, "deflate, gzip, gzip") }
        #expect(error?.kind == .decompression)
        #expect(error?.message.contains("at once") == true)
        let body = try #require(Data(base64Encoded: Self.bomb, options: .ignoreUnknownCharacters))
        #expect(try decode(body, "gzip, gzip") == 209_715_200)
        // Between its two codings this body is short.
        #expect(try decode(body, "gzip") < 1_000_000)
    }

    /// 200 MB of zeros, by Brotli.
    static let brotliBomb = """
        y///P/gnAOKxQCD3/o///3/wTwDEYRGA7v0f////4J8AiMMCAN37P/7//8E/ARCHBQC693/8//+DfwIgDgsAdO//+P//B/8EQBwWAOje//H//w/+CYA4LADQvf/j//8f
        /BMAcVgAoHv/x///P/gnAOKwAED3/o///3/wTwDEYQGA7v0f////4J8AiMMCAN37P/7//8E/ARCHBQC693/8//+DfwIgDgsAdO//+P//B/8EQBwWAOje//H//w/+CYA4
        LADQvf/j//8f/BMAcVgAoHv/x///P/gnAOKwAED3/o///3/wTwDEYQGA7v0f////4J8AiMMCAN37P/7//8E/ARCHBQC693/8//+DfwIgDgsAdO//+P//B/8EQBwWAOje
        //H//w/+CYA4LADQvf/L/+A1/BMAcVgAoJu7Bg==
        """

    @Test("a body is unpacked only as far as its reader reads") func onDemand() throws {
        let body = try #require(Data(base64Encoded: Self.brotliBomb, options: .ignoreUnknownCharacters))
        let decoder = try #require(try ContentDecoder(["Content-Encoding": "br"]))
        decoder.append(body)
        for _ in 0..<3 { #expect(try decoder.next()?.count ?? .max <= ContentDecoder.longestPiece) }
        #expect(decoder.hasMore)
        #expect(!decoder.isComplete)
    }

    @Test(
        "empty members of a compressed body are accepted up to a limit", arguments: [(3, true), (16, true), (1000, false)],
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
