import Foundation

@testable import Catena
@testable import CatenaArchive
@testable import CatenaTesting

extension FuzzTarget {
    /// The texts that describe a call: archive, log, command and recording. They are well-formed, contain the request unchanged if nothing is hidden, and
    /// never contain the secret.
    static let archives = FuzzTarget(
        "archives",
        seeds: [
            "\u{0}\u{0}/v1/rooms?q=a b&x=1\nX-A: it's\n{\"a\":[1,2],\"b\":\"c\"}", "\u{1}\u{2}/\nAccept: */*\na=b&c=d'e",
            "\u{2}\u{3}/a/%2e%2e/b?token=x\nX-Empty:\n<a b='c'>d</a>", "\u{3}\u{5}/?a[b]=1\n\n\u{1}\u{2}binary",
            "\u{4}\u{7}/p\nX:y\nline\nline 2\u{1B}[0m", "\u{0}\u{1}/p\nX-A: '\u{301};id\n'\u{301}",
        ],
        stepsPerByte: 8000
    ) { input in
        var input = FuzzInput(input)
        let planted = input.choice(among: PlantedSecret.all)
        let type = input.choice(among: PlantedSecret.mediaTypes)
        let target = input.line()
        let line = input.line()
        let body = input.bytes
        guard planted.types == nil, let address = try? HTTPAddress(parsing: "https://forum.example.com/" + target) else { return }
        var headers: HTTPHeaders = ["Authorization": "Bearer \(PlantedSecret.value)", "Content-Type": type]
        let name = line.prefix { $0 != ":" }
        let field = HTTPHeaders.Field(name: String(name), value: String(line[name.endIndex...].dropFirst()))
        if let field = try? HeaderRules.checked(field), !headers.contains(field.name) { headers.add(field.value, for: field.name) }
        var request = HTTPRequest(method: .post, address: address, headers: headers, body: Data(body))
        checkCommand(request)
        request.body = Data(Array(planted.text.utf8) + body)
        let response = HTTPResponse(status: 200, headers: headers, body: Data(body + planted.text.utf8), address: address)
        let call = RecordedCall(request: request, started: Date(timeIntervalSince1970: 0), response: response)
        guard !shows(body), !shows(Array(target.utf8)), !shows(Array(line.utf8)) else { return }
        checkSecrets(of: call)
        checkRecording(of: call)
    }

    private static func checkCommand(_ request: HTTPRequest) {
        // An argument cannot contain zeros. A body that is not text goes to curl's standard input instead.
        guard let words = words(of: CurlCommand(redaction: nil).text(request)) else { return expect(false, "no shell reads the command") }
        guard let curl = words.firstIndex(of: "curl") else { return expect(false, "\(words)") }
        expect(words.contains(request.address.text), "\(request.address.text) is not in \(words)")
        for field in request.headers.fields {
            let line = field.value.isEmpty ? "\(field.name);" : "\(field.name): \(field.value)"
            expect(words.contains(line), "\(line) is not in \(words)")
        }
        let body = request.body ?? Data()
        if let raw = words.firstIndex(of: "--data-raw") {
            expect(Data(words[raw + 1].utf8) == body, "the body is \(words[raw + 1])")
        } else {
            expect(curl > 3 && Data(base64Encoded: words[2]) == body, "the body is \(words)")
        }
    }

    /// Returns the words of a POSIX shell's command with all text in single quotes, or `nil` if a quote is not closed.
    private static func words(of command: String) -> [String]? {
        var words: [String] = []
        var word: String.UnicodeScalarView?
        var rest = command.unicodeScalars[...]
        while let scalar = rest.popFirst() {
            switch scalar {
            case " ":
                if let word { words.append(String(word)) }
                word = nil
            case "'":
                guard let end = rest.firstIndex(of: "'") else { return nil }
                word = (word ?? .init()) + rest[..<end]
                rest = rest[end...].dropFirst()
            case "\\":
                word = (word ?? .init()) + [rest.popFirst() ?? " "]
            default: word = (word ?? .init()) + [scalar]
            }
        }
        if let word { words.append(String(word)) }
        return words
    }

    private static func checkSecrets(of call: RecordedCall) {
        let command = CurlCommand().text(call.request)
        expect(!shows(Array(command.utf8)) && words(of: command) != nil, "curl: \(command)")
        let archive = HTTPArchiveBuilder().archive([call], version: "1")
        guard let written = try? JSONEncoder().encode(archive), let read = try? JSONDecoder().decode(HTTPArchive.self, from: written) else {
            return expect(false, "the archive cannot be written")
        }
        expect(read == archive && (try? JSON(parsing: written)) != nil, "the archive is read as another one")
        expect(!shows([UInt8](written)), "archive: \(String(decoding: written, as: UTF8.self))")
        let format = LogFormat()
        for text in [format.line(call), format.verbose(call)] {
            expect(!shows(Array(text.utf8)), "log: \(text)")
            let isClean = text.unicodeScalars.allSatisfy { $0 == "\n" || $0.properties.generalCategory != .control }
            expect(isClean, "a terminal would obey \(text)")
        }
    }

    private static func checkRecording(of call: RecordedCall) {
        guard var redaction = try? RecordingRedaction(RecordingRules()) else { return expect(false, "no rules") }
        let hidden = redaction.hide(call)
        for body in [hidden.request.body, hidden.response?.body] {
            let check = SecretCheck(secrets: redaction.secrets, harmless: [], names: redaction.names)
            // A body that cannot be redacted is not written, and the error names it.
            let isRefused = (try? check.problems(in: [hidden]).isEmpty) != true
            expect(isRefused || !shows([UInt8](body ?? Data())), "recording: \(String(decoding: body ?? Data(), as: UTF8.self))")
        }
    }
}
