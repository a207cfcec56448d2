public import CatenaPlatform

/// The contents of a parameter, from which query, form, JSON, property-list and multipart bodies are written.
public enum ParameterNode: Sendable, Equatable {
    /// A value that is present but empty: `null` in JSON, ``ParameterStyle/nulls`` in text.
    case null
    /// A truth value.
    case bool(Bool)
    /// A whole number that fits in 64 bits with a sign.
    case integer(Int64)
    /// A whole number above `Int64.max`.
    case unsigned(UInt64)
    /// A binary floating-point number. Encoding throws for NaN and the infinities.
    case double(Double)
    /// A decimal number, written digit by digit.
    case decimal(Decimal)
    /// A number as the exact text of a JSON number (RFC 8259 §6), such as `"0.10"` or `"1e400"`.
    case number(String)
    /// A text.
    case string(String)
    /// A date, written by ``ParameterStyle/dates``.
    case date(Date)
    /// Bytes, written by ``ParameterStyle/data``.
    case data(Data)
    /// Values in order.
    case array([ParameterNode])
    /// Values with keys, in order.
    case object(Params)
}

extension ParameterNode: ParameterValue {
    /// The node itself.
    public var parameterNode: ParameterNode { self }
}

/// Builds a node from the values that the containers of one encoder write.
///
/// A class, because containers continue to write after the encoder has returned them to `Encodable` code.
final class ParameterNodeBuilder {
    private enum Kind: String {
        case single = "a single value"
        case array = "an array"
        case object = "an object"
    }

    private var kind: Kind?
    private var single = ParameterNode.null
    private var members = Params()
    private var elements: [ParameterNode] = []
    // Their places in `members` and `elements` are reserved, and filled by `finish()`.
    private var unfinishedMembers: [String: ParameterNodeBuilder] = [:]
    private var unfinishedElements: [(index: Int, builder: ParameterNodeBuilder)] = []
    private var fault: ParameterError?

    var count: Int { elements.count }

    /// Sets the kind of the value. A second kind is an error, which only `finish()` throws because the methods of `Encoder` cannot.
    func beginObject() { begin(.object) }
    func beginArray() { begin(.array) }

    func set(_ node: ParameterNode) {
        begin(.single)
        single = node
    }

    func set(_ node: ParameterNode, for key: String, isCoded: Bool) {
        members.set(node, for: key, isCoded: isCoded)
        if !unfinishedMembers.isEmpty { unfinishedMembers[key] = nil }
    }

    func append(_ node: ParameterNode) {
        elements.append(node)
    }

    /// Returns the builder of a member that is written in parts. Returns the existing builder if there is one.
    func member(_ key: String) -> ParameterNodeBuilder {
        if let builder = unfinishedMembers[key] { return builder }
        let builder = ParameterNodeBuilder()
        members.set(.null, for: key, isCoded: true)
        unfinishedMembers[key] = builder
        return builder
    }

    /// Returns the builder of a new element that is written in parts.
    func element() -> ParameterNodeBuilder {
        let builder = ParameterNodeBuilder()
        unfinishedElements.append((elements.count, builder))
        elements.append(.null)
        return builder
    }

    /// Returns the whole node. A value that wrote nothing is an empty object.
    func finish() throws(ParameterError) -> ParameterNode {
        if let fault { throw fault }
        switch kind {
        case .single: return single
        case .array:
            for (index, builder) in unfinishedElements {
                do throws(ParameterError) {
                    elements[index] = try builder.finish()
                } catch {
                    throw error.inside(index)
                }
            }
            return .array(elements)
        case .object, nil:
            for (key, builder) in unfinishedMembers {
                do throws(ParameterError) {
                    members.set(try builder.finish(), for: key, isCoded: true)
                } catch {
                    throw error.inside(key)
                }
            }
            return .object(members)
        }
    }

    private func begin(_ kind: Kind) {
        if let earlier = self.kind, earlier != kind, fault == nil {
            fault = ParameterError("its type encodes it both as \(earlier.rawValue) and as \(kind.rawValue)")
        }
        self.kind = kind
    }
}
