import Foundation

@testable import Catena
@testable import CatenaTesting

extension FuzzTarget {
    /// Multipart bodies. Fields and files are read as they were written, and a parsed body is written with the same parts.
    static let multipart = FuzzTarget(
        "multipart",
        seeds: [
            "a\nb c\nvalue\nq\"uote\nx.png\n--catena", "name\n\nline\r\nbreak\nné\n.\n\u{0}\u{1}",
            "--x\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\none\r\n--x\r\nContent-Disposition: form-data; name=\"b\"\r\n\r\n\r\n--x--\r\n",
            "--x\r\n\r\n\r\n--x--", "--x\nname\n\n--x--",
        ],
        stepsPerByte: 500
    ) { input in
        checkWriting(FuzzInput(input))
        guard let body = MultipartBody(Data(input), contentType: "multipart/form-data; boundary=x") else { return }
        let again = MultipartBody(body.encoded, contentType: "multipart/form-data; boundary=\"x\"")
        expect(again?.parts == body.parts, "\(body.parts) are read again as \(again?.parts ?? [])")
    }

    private static func checkWriting(_ input: FuzzInput) {
        var input = input
        let lines = input.lines()
        var boundary: String? = lines.first.flatMap { $0.hasPrefix("-") ? nil : $0 }
        do throws(BodyFault) {
            _ = try MultipartEncoder(boundary: boundary)
        } catch {
            expect(!error.reason.isEmpty, "no reason")
            boundary = nil
        }
        do throws(BodyFault) {
            var encoder = try MultipartEncoder(boundary: boundary)
            var wanted: [(name: String, content: String)] = []
            for index in stride(from: 1, to: lines.count - 2, by: 3) {
                let (name, value, type) = (lines[index], lines[index + 1], lines[index + 2])
                try encoder.add(ParameterField(name: name, value: value))
                wanted.append((name, value))
                let source = BodySource(Data(value.utf8))
                let filename = name.isEmpty ? "f" : name
                try encoder.add(.init(content: .source(source), name: value, filename: filename, contentType: type), from: source)
                wanted.append((value, value))
            }
            check(encoder, wanted)
        } catch {
            expect(!error.reason.isEmpty && !error.reason.contains("\n"), "\(error.reason)")
        }
    }

    private static func check(_ encoder: consuming MultipartEncoder, _ wanted: [(name: String, content: String)]) {
        let type = encoder.contentType
        let source = encoder.finish()
        guard case .data(let body)? = source.parts.first, source.parts.count == 1 else { return expect(false, "\(source)") }
        expect(source.length == Int64(body.count), "\(body.count) bytes are announced as \(String(describing: source.length))")
        if wanted.isEmpty { return }
        let parts = MultipartBody(body, contentType: type)?.parts ?? []
        expect(parts.count == wanted.count, "\(parts.count) parts instead of \(wanted.count): \(String(decoding: body, as: UTF8.self))")
        for (part, wanted) in zip(parts, wanted) {
            expect(part.name == MultipartEncoder.escaped(wanted.name), "\"\(wanted.name)\" is named \"\(part.name)\"")
            expect(part.content == Data(wanted.content.utf8), "\"\(wanted.content)\" came out as \(part.content)")
            expect(part.head.split(separator: "\r\n").count <= 2, "a head of several lines: \(part.head)")
        }
    }
}
