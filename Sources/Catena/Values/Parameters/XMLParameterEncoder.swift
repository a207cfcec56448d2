public import CatenaPlatform

/// Writes params as an XML document with one element for each, as WeChat Pay's API v2 requires: `<xml><appid>wx1</appid></xml>`.
///
/// ```swift
/// API.configure(.pay) { $0.encoding = .custom(XMLParameterEncoder()) }
/// ```
///
/// Values are written as in a query. Arrays, objects and names that XML does not allow fail the call.
public struct XMLParameterEncoder: ParameterEncoder {
    /// The name of the root element.
    public let root: String

    /// Creates an encoder.
    ///
    /// - Parameter root: The name of the root element.
    public init(root: String = "xml") {
        self.root = root
    }

    public func body(_ params: Params, style: ParameterStyle) throws -> (data: Data, contentType: String) {
        guard Self.isName(root) else { throw ParameterError("the root \"\(root)\" is no name for an element of XML") }
        var text = "<\(root)>"
        for member in style.members(of: params) {
            do throws(ParameterError) {
                guard Self.isName(member.key) else { throw ParameterError("it is no name for an element of XML") }
                guard let value = try Self.text(of: member.node, style) else { continue }
                text += "<\(member.key)>\(value)</\(member.key)>"
            } catch {
                throw error.inside(member.key)
            }
        }
        return (Data((text + "</\(root)>").utf8), "text/xml; charset=utf-8")
    }

    /// Returns whether a text is a name of ASCII letters, digits, `_`, `-` and `.`, a subset of XML 1.0 §2.3.
    static func isName(_ text: String) -> Bool {
        guard let first = text.utf8.first, first == UInt8(ascii: "_") || isLetter(first) else { return false }
        return text.utf8.allSatisfy { isLetter($0) || (0x30...0x39).contains($0) || "_-.".utf8.contains($0) }
    }

    private static func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte | 0x20) }

    /// Returns the text of a param, or `nil` if the param is left out.
    private static func text(of node: ParameterNode, _ style: ParameterStyle) throws(ParameterError) -> String? {
        switch node {
        case .array, .object:
            throw ParameterError("an array or object has no form in XML of one level; write it as text, such as JSON(…).text")
        case .null: return style.nullText(isElement: false)
        default:
            guard let text = try style.text(of: node) else { return nil }
            return try XMLText.content(text)
        }
    }
}
