import Foundation

@testable import Catena

extension FuzzTarget {
    /// JSON and a path into it. A text is valid if Foundation accepts it, is unchanged when it is written and read again, and a path equals single steps.
    static let json = FuzzTarget(
        "json",
        seeds: [
            "data.list[1]\n{\"errcode\":0,\"errmsg\":\"ok\",\"data\":{\"list\":[1,-2.5,3e10,0.125],\"more\":false,\"next\":null}}",
            "[0].name\n[{\"id\":1,\"name\":\"Ann \\\"A\\\" \\\\ \\/ \\b\\f\\n\\r\\t\",\"tags\":[\"é\",\"日本語\",\"😀\"]},{\"name\":\"\\u0041\\ud83d\\ude00\"}]",
            "a[0][3]\n { \"a\" : [ [ ] , { } , [ [ 0 ] ] ] , \"b\" : \"\" , \"c\" : -0.0E-1 , \"d\":true } ",
            "x\n[true,false,null,0,-1,1.5,\"x\",[],{},18446744073709551615,9007199254740993]", "a\n\"long plain text, then é\"",
            "a\n-12.5e+3",
            "a\n{\"a\":1,\"a\":2,\"é\":3,\"e\u{301}\":4,\"token\":\"t\",\"x\":\"password=a b\"}",
            "a\n{\"code\":\"E1\",\"msg\":[1],\"result\":{\"a\":{}}}",
        ],
        stepsPerByte: 2000
    ) { input in
        var input = FuzzInput(input)
        let path = input.line()
        let document = input.bytes
        checkPath(path)
        let value: JSON
        do throws(JSONSyntaxError) {
            value = try JSON(parsing: document)
        } catch {
            check(error, in: document)
            checkVerdict(on: document, nil)
            checkEnvelope(on: document, nil)
            return
        }
        checkVerdict(on: document, value)
        checkEnvelope(on: document, value)
        let written = value.encoded
        let again = try? JSON(parsing: written)
        expect(again == value && again?.encoded == written, "\(String(decoding: written, as: UTF8.self)) is not read as it was written")
        expect((try? JSON(parsing: "\(value)".utf8)) != nil, "what is shown of it is no JSON: \(value)")
        checkPlaces(document, value, path)
    }

    private static func checkPath(_ text: String) {
        guard let path = try? JSONPath(text) else { return }
        expect(
            path.description == text && JSONPath.text(path.steps[...]) == text, "\(text) is written as \(JSONPath.text(path.steps[...]))")
    }

    private static func checkPlaces(_ document: [UInt8], _ value: JSON, _ text: String) {
        guard let path = try? JSONPath(text), let scan = try? JSONScan(document, paths: [path]) else { return }
        let root = try? JSON(document, scan.root)
        expect(root == value, "the root of the scan is another document")
        var byStep: JSON? = value
        for step in path.steps {
            switch (step, byStep?.storage) {
            case (.key(let key), .object(let object)): byStep = object[key]
            case (.index(let index), .array(let elements)) where elements.indices.contains(index): byStep = elements[index]
            default: byStep = nil
            }
        }
        let byPath = scan[0].flatMap { try? JSON(document, $0) }
        expect(byPath == byStep, "\(text): \(String(describing: byPath)) by path, \(String(describing: byStep)) by steps")
        do throws(APIError) {
            let found: JSON? = try value(text)
            expect(found ?? .nullValue == byStep ?? .nullValue, "\(text): a call gives another value")
            let _: [String: [Double]] = try value(text)
        } catch {
            expect(error.kind == .decoding && !error.message.isEmpty, "\(error)")
        }
    }

    private static func check(_ error: JSONSyntaxError, in document: [UInt8]) {
        expect((0...document.count).contains(error.offset) && error.line >= 1 && error.column >= 1, "\(error)")
        expect(error.excerpt.unicodeScalars.allSatisfy { $0.value >= 0x20 }, "the excerpt has several lines: \(error.excerpt)")
        expect(error.excerpt.count <= 100, "the excerpt is long: \(error.excerpt)")
        let scan = Result { try JSONScan(document, paths: []) }
        if case .success = scan { expect(false, "only the scan reads it") }
    }

    // MARK: Foundation

    private static func checkVerdict(on document: [UInt8], _ value: JSON?) {
        // A document with zeros or such a mark may be UTF-16 or UTF-32 to Foundation, regardless of its grammar.
        guard !document.contains(0), !document.starts(with: [0xFE, 0xFF]), !document.starts(with: [0xFF, 0xFE]) else { return }
        // Foundation drops such a mark at the beginning of a piece of a string, such as before an escape.
        guard document.firstRange(of: [0xEF, 0xBB, 0xBF]) == nil else { return }
        let foundation = try? JSONSerialization.jsonObject(with: Data(document), options: .fragmentsAllowed)
        if let value {
            expect(foundation != nil || hasNumberBeyondDouble(value), "only Catena reads it")
            // If members share a key, Catena uses the first and Foundation the last.
            let hasAll = members(in: document) == members(in: [UInt8](value.encoded))
            if let foundation { expect(isAlike(value, foundation, inObjects: hasAll), "\(value) is to Foundation \(foundation)") }
        } else if foundation != nil {
            // Foundation accepts a comma before a closing bracket.
            if let rest = withoutTrailingCommas(document) { expect((try? JSON(parsing: rest)) != nil, "only Foundation reads it") }
        }
    }

    /// Whether a document has a number that exceeds a double, for which Foundation refuses the document.
    private static func hasNumberBeyondDouble(_ value: JSON) -> Bool {
        switch value.storage {
        case .number: value.double == nil
        case .array(let elements): elements.contains(where: hasNumberBeyondDouble)
        case .object(let object): object.members.contains { hasNumberBeyondDouble($0.value) }
        default: false
        }
    }

    /// Returns the number of members in a document, by its colons.
    private static func members(in document: [UInt8]) -> Int {
        var (count, isInString, isEscaped) = (0, false, false)
        for byte in document {
            switch byte {
            case _ where isEscaped: isEscaped = false
            case UInt8(ascii: "\\"): isEscaped = true
            case UInt8(ascii: "\""): isInString.toggle()
            case UInt8(ascii: ":") where !isInString: count += 1
            default: break
            }
        }
        return count
    }

    /// Whether two results are equal. Objects are compared only if `inObjects` is true.
    private static func isAlike(_ value: JSON, _ foundation: Any, inObjects: Bool) -> Bool {
        switch value.storage {
        case .null: foundation is NSNull
        case .string(let text): (foundation as? String).map { text.utf8.elementsEqual($0.utf8) } ?? false
        case .array(let elements):
            (foundation as? [Any]).map {
                $0.count == elements.count && zip(elements, $0).allSatisfy { isAlike($0, $1, inObjects: inObjects) }
            } ?? false
        case .object(let object): (foundation as? [String: Any]).map { !inObjects || isAlike(object.members, $0) } ?? false
        case .bool(let truth): (foundation as? NSNumber)?.boolValue == truth
        case .integer(let number): (foundation as? NSNumber)?.int64Value == number
        case .unsigned, .number: foundation is NSNumber
        }
    }

    private static func isAlike(_ members: [JSONObject.Member], _ foundation: [String: Any]) -> Bool {
        // Foundation also treats keys as equal that differ only in their Unicode normalization.
        let counts = Dictionary(members.map { ($0.key, 1) }, uniquingKeysWith: +)
        return members.allSatisfy { member in
            counts[member.key] != 1 || (foundation[member.key].map { isAlike(member.value, $0, inObjects: true) } ?? false)
        }
    }

    /// Returns the document without trailing commas, or `nil` if it has many, because each costs another parsing.
    private static func withoutTrailingCommas(_ document: [UInt8]) -> [UInt8]? {
        var document = document
        for _ in 0..<16 {
            do throws(JSONSyntaxError) {
                _ = try JSON(parsing: document)
                return document
            } catch {
                guard error.reason == JSONFault.Reason.trailingComma.rawValue,
                    let comma = document[..<error.offset].lastIndex(of: UInt8(ascii: ","))
                else { return document }
                document.remove(at: comma)
            }
        }
        return nil
    }

    // MARK: Envelopes

    private static func checkEnvelope(on document: [UInt8], _ value: JSON?) {
        guard let address = try? HTTPAddress(parsing: "https://forum.example.com/users") else { return expect(false, "no address") }
        for (envelope, status) in [(Envelope.standard, 200), (.problemDetails, 500)] {
            let response = HTTPResponse(status: status, body: Data(document), address: address)
            do {
                let reading = try EnvelopeReader(envelope: envelope, decoded: JSON.self).read(response)
                if case .range = reading.payload {
                    let payload = reading.payloadBytes.flatMap { try? JSON(parsing: $0) }
                    expect(payload != nil && value != nil, "the payload is no JSON")
                }
            } catch let error as APIError {
                expect(error.kind == .decoding || value != nil || status == 500, "\(error)")
            } catch {
                expect(false, "\(error)")
            }
        }
    }
}
