import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxMacros

/// `@Get`, `@Post`, `@Put`, `@Patch` and `@Delete`: make an endpoint of a struct.
struct EndpointMacro: ExtensionMacro {
    static func expansion(
        of node: AttributeSyntax,
        attachedTo declaration: some DeclGroupSyntax,
        providingExtensionsOf type: some TypeSyntaxProtocol,
        conformingTo protocols: [TypeSyntax],
        in context: some MacroExpansionContext
    ) throws -> [ExtensionDeclSyntax] {
        guard let verb = Verb(node) else { return [] }
        guard let structure = declaration.as(StructDeclSyntax.self) else {
            context.diagnose(.wrongKind(of: declaration, verb))
            return []
        }
        guard let template = PathTemplate(node, report: context.diagnose) else { return [] }
        let properties = Properties(of: structure)
        let check = EndpointCheck(verb: verb, attribute: node, template: template, properties: properties, structure: structure)
        let isNested = !context.lexicalContext.isEmpty
        let faults = template.faults + check.faults + (isNested ? check.visibilityFaults : [])
        faults.forEach(context.diagnose)
        // What is wrong is said once, in the words above: what would be written of it has faults of its own.
        if faults.contains(where: { $0.diagMessage.severity == .error }) { return [] }
        let code = EndpointCode(verb: verb, template: template, properties: properties, structure: structure)
        return [try code.extending(type, conforms: !protocols.isEmpty)]
    }
}

/// The method that an attribute names.
enum Verb: String {
    case get = "Get"
    case post = "Post"
    case put = "Put"
    case patch = "Patch"
    case delete = "Delete"

    init?(_ node: AttributeSyntax) {
        self.init(rawValue: node.lastName)
    }

    var attribute: String { "@" + rawValue }

    /// Catena refuses a GET with a body.
    var takesBody: Bool { self != .get }
}

extension AttributeSyntax {
    /// The name without the module that may stand before it.
    var lastName: String {
        attributeName.as(MemberTypeSyntax.self)?.name.text ?? attributeName.trimmedDescription
    }
}
