import Foundation

@testable import Catena

/// A secret in a form that identifies it.
struct PlantedSecret: Sendable {
    static let value = "planted-Secret-42"

    /// The text to insert.
    let text: String
    /// The media types of bodies in which the secret must not show, or `nil` for any and for none.
    var types: [String]?

    static let all: [PlantedSecret] = [
        PlantedSecret(text: #"{"password":"\#(value)"}"#), PlantedSecret(text: #","access_token" : "\#(value)","#),
        PlantedSecret(text: "&password=\(value)&"), PlantedSecret(text: "\nAuthorization: Bearer \(value)\n"),
        PlantedSecret(text: " https://ann:\(value)@forum.example.com/ "), PlantedSecret(text: "?x=1&api_key=\(value) "),
        PlantedSecret(text: "<password>\(value)</password>", types: ["application/xml"]),
        PlantedSecret(text: "<a token=\"\(value)\">", types: ["application/xml"]),
        PlantedSecret(text: "\ndata: {\"token\":\"\(value)\"}\n\n", types: ["text/event-stream"]),
        PlantedSecret(text: "/eyJhbGciOiJIUzI1NiJ9.\(value).c2ln/"),
    ]

    static let mediaTypes: [String?] = [
        "application/json", "text/plain", "application/x-www-form-urlencoded", "application/xml", "text/event-stream",
        "multipart/form-data; boundary=x", "application/x-ndjson", nil,
    ]
}

extension FuzzTarget {
    /// Redaction. A secret at any place of a body does not show, JSON stays JSON, and a string of JSON is redacted like the same text alone.
    static let redaction = FuzzTarget(
        "redaction",
        seeds: [
            "\u{0}\u{0}\u{9}{\"a\":[1,{\"b\":\"c\"}],\"q\":\"x=1&y=2\"}", "\u{1}\u{0}\u{7}{\"a\":1\"b\":[\"\\\"x\\\"\",null,true,-1.5e3]}",
            "\u{2}\u{2}\u{3}a=b&c=%7B%22d%22%3A1%7D", "\u{3}\u{1}\u{0}GET / HTTP/1.1\nAccept: */*\n", "\u{4}\u{7}\u{2}see here",
            "\u{6}\u{3}\u{9}<a><b name=\"password\">x</b><![CDATA[y]]><!-- z --></a>", "\u{7}\u{3}\u{3}<?xml version=\"1.0\"?><plist/>",
            "\u{7}\u{3}\u{69}ist/loginsession=\">list/>\u{3}<?xml ve\trsion5\"?><plist/loginsession=\">list/>",
            "\u{0}\u{1}\u{1f}e=\"a c2ln -----BEGIN PRIVATE KEYEY-----\nYQ\n",
            "\u{8}\u{4}\u{0}event: x\ndata: {\ndata: \"a\":1}\n\n",
            "\u{0}\u{5}\u{30}--x\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n{}\r\n--x--\r\n",
            "\u{1}\u{9}\u{5}{\"Value\":1,\"x\":{\"value\":[1]},\"Name\":\"token\"}",
            "\u{4}\u{8}\u{4}{b'a'=>u\"b\", c := @\"d\", e == <0a 1b>}",
            "\u{4}\u{7}\u{3}eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiI3In0.c2ln -----BEGIN PRIVATE KEY-----\nYQ\n-----END",
            "\u{5}\u{6}\u{0}{\"a\":\"\\u0074oken\"}\n{\"name\":\"token\",\"value\":\"x\"}\n",
            "\u{9}\u{0}\u{14}{\"a\":undefined,\"b\":\"x\",\"c\":[{\"name\":\"\\u0074oken\",\"value\":\"x\"}]}",
            "\u{9}\u{1}\u{7}/verify/eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiI3In0.c2ln", "\u{9}\u{1}\u{0}Bearer\tabc",
        ],
        stepsPerByte: 9000
    ) { input in
        var input = FuzzInput(input)
        let planted = input.choice(among: PlantedSecret.all)
        let type = input.choice(among: PlantedSecret.mediaTypes)
        let place = Int(input.byte())
        let around = input.bytes
        checkJSON(around)
        checkText(String(decoding: around, as: UTF8.self))
        checkKnown(around, at: place, type)
        guard planted.types.map({ type.map($0.contains) ?? false }) ?? true else { return }
        var body = around
        body.insert(contentsOf: planted.text.utf8, at: min(place, body.count))
        for keepsForm in [false, true] {
            var pass = keepsForm ? RedactionPass(keepingFormAndHiding: .standard) : RedactionPass(ofBodyHiding: .standard)
            guard let shown = pass.redact(body: body, contentType: type) else { continue }
            expect(shown.count <= 8 * body.count + 64, "\(body.count) bytes become \(shown.count)")
            expect(!shows(shown), "\(type ?? "no type"), keepsForm \(keepsForm): \(String(decoding: shown, as: UTF8.self))")
        }
        guard planted.types == nil, around.allSatisfy({ $0 != 0 }) else { return }
        let text = Redaction.standard.redact(text: String(decoding: body, as: UTF8.self))
        expect(!shows(Array(text.utf8)), "text: \(text)")
    }

    static func shows(_ bytes: [UInt8]) -> Bool { Data(bytes).range(of: Data(PlantedSecret.value.utf8)) != nil }

    /// Checks that a secret whose value is known does not show at any place, without a name.
    private static func checkKnown(_ around: [UInt8], at place: Int, _ type: String?) {
        var secrets = Secrets()
        secrets.add(values: PlantedSecret.value)
        var body = around
        body.insert(contentsOf: PlantedSecret.value.utf8, at: min(place, body.count))
        var pass = RedactionPass(ofBodyHiding: secrets.redaction ?? .standard)
        guard let shown = pass.redact(body: body, contentType: type) else { return }
        expect(!shows(shown), "\(type ?? "no type"), known: \(String(decoding: shown, as: UTF8.self))")
    }

    /// Checks a JSON text with a secret among its members.
    private static func checkJSON(_ document: [UInt8]) {
        guard let value = try? JSON(parsing: document) else { return }
        for keepsForm in [false, true] {
            var pass = keepsForm ? RedactionPass(keepingFormAndHiding: .standard) : RedactionPass(ofBodyHiding: .standard)
            let shown = pass.redact(body: document, contentType: "application/json")
            guard let shown, let again = try? JSON(parsing: shown) else {
                return expect(false, "no JSON any more: \(shown.map { String(decoding: $0, as: UTF8.self) } ?? "hidden")")
            }
            expect(isAlike(value, again), "\(value) has become \(again)")
        }
        guard case .object(let object) = value.storage else { return }
        for place in [0, object.members.count / 2, object.members.count] {
            var members = object.members.filter { $0.key != "client_secret" }
            members.insert(.init(key: "client_secret", value: JSON(.string(PlantedSecret.value))), at: min(place, members.count))
            let planted = JSON(members: members)
            var pass = RedactionPass(ofBodyHiding: .standard)
            let shown = pass.redact(body: [UInt8](planted.encoded), contentType: nil).flatMap { try? JSON(parsing: $0) }
            expect(shown?.client_secret.string == Redaction.mark, "\(String(describing: shown))")
            expect(!"\(planted)".contains(PlantedSecret.value), "\(planted)")
        }
    }

    /// Checks that a text shows the same as a string of JSON, as a key of JSON, and alone.
    private static func checkText(_ text: String) {
        // The list that such a text begins has bytes that a string cannot have, so the reader of JSON does not search for it.
        guard !text.utf8.starts(with: "bplist".utf8) else { return }
        let alone = Redaction.standard.redact(text: text)
        let document = JSON(array: [JSON(.string(text)), JSON(members: [.init(key: text, value: JSON(.integer(1)))])])
        var pass = RedactionPass(ofBodyHiding: .standard)
        let shown = pass.redact(body: [UInt8](document.encoded), contentType: "application/json").flatMap { try? JSON(parsing: $0) }
        guard case .array(let elements) = shown?.storage, elements.count == 2, case .object(let object) = elements[1].storage else {
            return expect(false, "\(document) has become \(String(describing: shown))")
        }
        expect(elements[0].string == alone, "the string \(elements[0]) was \(alone) alone")
        expect(object.members.first?.key == alone, "the key of \(elements[1]) was \(alone) alone")
    }

    /// Whether the second value is the first with some values hidden.
    private static func isAlike(_ value: JSON, _ shown: JSON) -> Bool {
        switch (value.storage, shown.storage) {
        case (.array(let one), .array(let other)): one.count == other.count && zip(one, other).allSatisfy { isAlike($0, $1) }
        // A key that contained a secret may equal the key of another member.
        case (.object, .object(let other)) where other.members.contains { $0.key.contains(Redaction.mark) }: true
        case (.object(let one), .object(let other)):
            one.members.count == other.members.count
                && zip(one.members, other.members).allSatisfy { $0.key == $1.key && isAlike($0.value, $1.value) }
        case (.string, .string), (_, .string(Redaction.mark)): true
        // If the form is kept, a hidden number becomes zero.
        case (_, .integer(0)): true
        default: value == shown
        }
    }
}
