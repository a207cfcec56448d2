import Foundation

/// What a JSON body is made from, encoded when the request is prepared.
enum JSONBodySource: Sendable {
    case params(Params)
    case value(any Encodable & Sendable, JSONEncoder?)
    case data(Data)

    func encode(with encoder: JSONEncoder, style: ParameterStyle) throws -> Data {
        switch self {
        case .params(let members): try JSONBody.encode(members, style: style)
        case .value(let value as JSON, nil): try JSONBody.encode(value.parameterNode, style: style)
        case .value(let value, let own): try (own ?? encoder).encode(value)
        case .data(let data): data
        }
    }
}
