import Foundation

extension Specimen {
    static let foundation: [Specimen] = [
        Specimen(Order.self) { $0.text(Order.shape) },
        Specimen([Order].self) { $0.text(.array(Order.shape)) },
        Specimen(ClosedRange<Int>.self) { $0.text(.tuple([.int, .int])) },
        Specimen(DateInterval.self) { $0.text(.fields(["start": .named("Date"), "duration": .double])) },
        Specimen(IndexPath.self) { $0.text(.array(.int)) },
        Specimen(DateComponents.self) { $0.text(.fields(["year": .int, "month": .int])) },
        Specimen(Money.self) { $0.text(.fields(["amount": .named("Decimal"), "rate": .optional(.named("Decimal"))])) },
        Specimen(Locale.self) { $0.text(.fields(["identifier": .string])) },
    ]
}

/// A model that is typical of an app.
private struct Order: Decodable, Equatable {
    let id: UUID
    let number: Int64
    let userName: String
    let isOpen: Bool?
    let created: Date
    let shipped: Date?
    let link: URL?
    let signature: Data
    let lines: [Line]

    struct Line: Decodable, Equatable {
        let sku: String
        let count: UInt16
        let price: Double
        let note: String?
    }

    static let shape = Shape.fields([
        "id": .named("UUID"), "number": .named("Int64"), "userName": .string, "isOpen": .optional(.bool), "created": .named("Date"),
        "shipped": .optional(.named("Date")), "link": .optional(.named("URL")), "signature": .named("Data"),
        "lines": .array(.fields(["sku": .string, "count": .named("UInt16"), "price": .double, "note": .optional(.string)])),
    ])
}

private struct Money: Decodable, Equatable {
    let amount: Decimal
    let rate: Decimal?
}
