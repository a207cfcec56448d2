import Testing

/// The row of a table that a test has reached, for the comments of its issues.
enum CurrentRow {
    @TaskLocal static var text: String?

    fileprivate static func described(_ row: Any) -> String { String(String(describing: row).prefix(400)) }
}

/// Runs a test for each row of a long table. As `arguments:`, each row would be a case, and the tests would print a line for it.
///
/// An issue names its row. A row that throws an error does not end the others.
func each<Rows: Collection>(
    _ rows: Rows, sourceLocation: SourceLocation = #_sourceLocation, _ test: (Rows.Element) throws -> Void
) {
    for row in rows {
        CurrentRow.$text.withValue(CurrentRow.described(row)) {
            do { try test(row) } catch { Issue.record(error, sourceLocation: sourceLocation) }
        }
    }
}

func each<Rows: Collection>(
    _ rows: Rows, sourceLocation: SourceLocation = #_sourceLocation, _ test: (Rows.Element) async throws -> Void
) async {
    for row in rows {
        await CurrentRow.$text.withValue(CurrentRow.described(row)) {
            do { try await test(row) } catch { Issue.record(error, sourceLocation: sourceLocation) }
        }
    }
}

/// Runs a test for each pair of rows of two tables.
func each<Rows: Collection, Others: Collection>(
    _ rows: Rows, _ others: Others, sourceLocation: SourceLocation = #_sourceLocation,
    _ test: (Rows.Element, Others.Element) throws -> Void
) {
    each(rows.flatMap { row in others.map { (row, $0) } }, sourceLocation: sourceLocation) { try test($0.0, $0.1) }
}

func each<Rows: Collection, Others: Collection>(
    _ rows: Rows, _ others: Others, sourceLocation: SourceLocation = #_sourceLocation,
    _ test: (Rows.Element, Others.Element) async throws -> Void
) async {
    await each(rows.flatMap { row in others.map { (row, $0) } }, sourceLocation: sourceLocation) { try await test($0.0, $0.1) }
}
