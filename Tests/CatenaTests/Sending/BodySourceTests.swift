import Foundation
import Testing

@testable import Catena

@Suite("Body sources", .limitedParallelism)
struct BodySourceTests {
    private static func stream(_ pieces: [String]) -> AsyncStream<Data> {
        AsyncStream { continuation in
            for piece in pieces { continuation.yield(Data(piece.utf8)) }
            continuation.finish()
        }
    }

    /// Returns the message of the error with which reading ends, or `nil` if reading succeeds.
    private static func fault(_ read: () async throws -> Void) async -> String? {
        do {
            try await read()
            return nil
        } catch {
            guard let error = error as? APIError, error.kind == .requestBody else { return "not typed: \(error)" }
            return error.message
        }
    }

    // MARK: Reading

    @Test("the parts of a body are read in order, at each reading anew")
    func parts() async throws {
        let file = try ScratchFile("0123456789")
        let source = BodySource(joining: [
            BodySource(Data("a".utf8)), try BodySource(file: file.url), BodySource(Data()), try BodySource(file: file.url, range: 2..<5),
            BodySource(stream: { Self.stream(["x", "", "yz"]) }, length: 3), BodySource(Data("b".utf8)),
        ])
        #expect(source.length == 18)
        #expect(source.isReplayable)
        for _ in 0..<2 { #expect(try await source.collect(limit: 18) == Data("a0123456789234xyzb".utf8)) }
        #expect(await Self.fault { _ = try await source.collect(limit: 17) } == "The body cannot be sent: it is longer than 17 bytes.")
    }

    @Test("a body of any size is read whole, in pieces of bounded size", arguments: [0, 1, 262_143, 262_144, 262_145, 1_000_000])
    func sizes(size: Int) async throws {
        let bytes = Data.pattern(size)
        let file = try ScratchFile(bytes)
        for source in [BodySource(bytes), try BodySource(file: file.url)] {
            var read = Data()
            for try await piece in source {
                #expect((1...BodySource.pieceSize).contains(piece.count))
                read.append(piece)
            }
            #expect(read == bytes)
        }
    }

    @Test("the length of a body is known if the length of each part is known")
    func length() throws {
        #expect(BodySource(stream: { Self.stream([]) }).length == nil)
        #expect(BodySource(joining: [BodySource(Data([1])), BodySource(stream: { Self.stream([]) })]).length == nil)
        #expect(BodySource(joining: []).length == 0)
        let huge = BodySource(stream: { Self.stream([]) }, length: .max)
        #expect(BodySource(joining: [huge, huge]).length == nil)
    }

    @Test("sources are equal if they read the same range of the same file, or the same stream")
    func equality() throws {
        let file = try ScratchFile("0123456789")
        #expect(try BodySource(file: file.url) == BodySource(file: file.url))
        #expect(try BodySource(file: file.url) != BodySource(file: file.url, range: 0..<9))
        let stream = BodySource(stream: { Self.stream([]) })
        #expect(stream == stream)
        #expect(stream != BodySource(stream: { Self.stream([]) }))
    }

    @Test("a description reads nothing and stays short")
    func description() throws {
        let file = try ScratchFile(name: "film.mov", size: 1 << 40)
        let source = BodySource(joining: [try BodySource(file: file.url), BodySource(stream: { Self.stream([]) })])
        #expect("\(source)" == "[1099511627776 bytes of \"film.mov\", a stream]")
        let long = BodySource(joining: (0..<1000).map { _ in BodySource(Data([1])) })
        #expect("\(long)".count < 300)
    }

    // MARK: Files that cannot be read or change

    @Test("a file that cannot be read is refused when the body is made, and the error does not show its path")
    func missing() throws {
        let file = try ScratchFile("0123456789", name: "a.txt")
        let folder = file.url.deletingLastPathComponent()
        let cases: [(URL, Range<Int64>?, String)] = [
            (folder.appendingPathComponent("none.txt"), nil, "the file \"none.txt\" cannot be read: No such file or directory"),
            (folder, nil, "is a directory"),
            (file.url.appendingPathComponent("b"), nil, "the file \"b\" cannot be read: No such file or directory"),
            (URL(fileURLWithPath: "/dev/null"), nil, "\"null\" is not a regular file"),
            (URL(string: "https://example.com/a.txt") ?? folder, nil, "the address is not that of a file"),
            (file.url, 5..<11, "the file \"a.txt\" has 10 bytes, fewer than the range"),
            (file.url, -1..<5, "the file \"a.txt\" has 10 bytes, fewer than the range"),
            (file.url, 5..<Int64.max, "the file \"a.txt\" has 10 bytes, fewer than the range"),
        ]
        for (url, range, reason) in cases {
            let error = #expect(throws: APIError.self) { try BodySource(file: url, range: range) }
            #expect(error?.kind == .requestBody)
            #expect(error?.message.contains(reason) == true, "\(error?.message ?? "")")
            #expect(error?.message.contains(folder.path) == false)
        }
    }

    @Test("a file that the process may not read is refused", .enabled(if: geteuid() != 0, "root may read everything"))
    func forbidden() throws {
        let file = try ScratchFile("secret")
        try FileManager.default.setAttributes([.posixPermissions: 0], ofItemAtPath: file.url.path)
        #expect(throws: APIError.self) { try BodySource(file: file.url) }
    }

    enum Change: CaseIterable, Sendable {
        case shrunk, grown, overwritten, removed
    }

    @Test("a file that changes while it is read fails the reading before the last piece", arguments: Change.allCases, [false, true])
    func changed(change: Change, begun: Bool) async throws {
        let size = 3 * BodySource.pieceSize
        let file = try ScratchFile(Data.pattern(size))
        var pieces = try BodySource(file: file.url).makeAsyncIterator()
        var count = begun ? try await pieces.next()?.count ?? 0 : 0
        switch change {
        case .shrunk: try file.resize(to: UInt64(size - 1))
        case .grown: try file.append("x")
        case .overwritten: try file.overwrite(0, modified: Date(timeIntervalSince1970: 1_000_000_000))
        case .removed: try FileManager.default.removeItem(at: file.url)
        }
        let fault = await Self.fault { while let piece = try await pieces.next() { count += piece.count } }
        // A file that is removed while it is open stays readable. Overwriting a file with equal length before the first piece is no change.
        if (change == .removed && begun) || (change == .overwritten && !begun) {
            #expect(fault == nil)
            #expect(count == size)
        } else {
            #expect(fault?.contains("\"scratch.bin\"") == true, "\(fault ?? "no error")")
            #expect(count < size)
        }
    }

    @Test("a range of a file can be read after the file has grown, and fails after the file has shrunk")
    func changedRange() async throws {
        let file = try ScratchFile("0123456789")
        let source = try BodySource(file: file.url, range: 2..<8)
        try file.append("x")
        #expect(try await source.collect(limit: 100) == Data("234567".utf8))
        try file.resize(to: 7)
        #expect(await Self.fault { _ = try await source.collect(limit: 100) }?.contains("has changed") == true)
    }

    // MARK: Streams

    @Test(
        "a stream that is shorter or longer than announced fails before its last byte is delivered",
        arguments: [
            (["abc"], 4, "ended after 3 of 4 bytes"), ([], 1, "ended after 0 of 1 bytes"), (["ab", "cd"], 3, "is longer than 3 bytes"),
            (["abc", "", "d"], 3, "is longer than 3 bytes"), (["a"], 0, "is longer than 0 bytes"), (["abcd"], 3, "is longer than 3 bytes"),
        ])
    func wrongLength(pieces: [String], announced: Int, reason: String) async throws {
        let source = BodySource(stream: { Self.stream(pieces) }, length: Int64(announced))
        var count = 0
        let fault = await Self.fault { for try await piece in source { count += piece.count } }
        #expect(fault == "The body cannot be sent: its stream \(reason).")
        #expect(count < max(announced, 1))
    }

    @Test("a stream of the announced length is read whole", arguments: [([String](), 0), (["", "abc", ""], 3), (["a", "b", "c"], 3)])
    func rightLength(pieces: [String], announced: Int) async throws {
        let source = BodySource(stream: Self.stream(pieces), length: Int64(announced))
        #expect(try await source.collect(limit: 10) == Data(pieces.joined().utf8))
    }

    @Test("a body made from a single stream can be read only once")
    func once() async throws {
        let source = BodySource(stream: Self.stream(["abc"]))
        #expect(!source.isReplayable)
        _ = try await source.collect(limit: 10)
        #expect(await Self.fault { _ = try await source.collect(limit: 10) }?.contains("can be read only once") == true)
    }

    @Test("the error that a stream throws is the underlying error of the body's failure")
    func failure() async throws {
        struct Broken: Error {}
        let source = BodySource(stream: { AsyncThrowingStream<Data, any Error> { $0.finish(throwing: Broken()) } })
        let error = await #expect(throws: APIError.self) { try await source.collect(limit: 10) }
        #expect(error?.kind == .requestBody)
        #expect(error?.underlying is Broken)
    }
}
