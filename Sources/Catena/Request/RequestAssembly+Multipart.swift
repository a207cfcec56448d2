import Foundation

// A body of fields and files.
extension RequestAssembly {
    /// The params of the call as fields of its form, which come before those that the form has itself.
    func fields(of params: Params) throws -> [ParameterField] {
        do throws(ParameterError) {
            return try ParameterField.fields(of: params, style: style)
        } catch {
            throw APIError.invalid(step(of: error), error)
        }
    }

    func encode(_ form: MultipartForm, after fields: [ParameterField], boundary: String?) throws -> EncodedBody {
        var encoder = try MultipartEncoder(boundary: boundary)
        for field in fields { try encoder.add(field) }
        for part in form.parts {
            switch part {
            case .file(let file): try encoder.add(file)
            case .field(let member):
                for field in try ParameterField.fields(of: Params([member]), style: style) { try encoder.add(field) }
            }
        }
        let contentType = encoder.contentType
        return EncodedBody(encoder.finish(), contentType)
    }
}
