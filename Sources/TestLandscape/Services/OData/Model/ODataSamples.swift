import Foundation

/// The initial data of the services.
enum ODataSamples {
    /// The time 2026-01-01.
    static let origin: Int64 = 1_767_225_600_000
    private static let hour: Int64 = 3_600_000

    /// Names, with awkward texts among them.
    private static let names = [
        "Tea", "Coffee", "O'Neil's \"best\" 100 %", "Käse & Brot", "日本茶", "a+b=c?d#e/f\\g", "<b>bold</b>", "  spaces  ",
        "semi;colon,comma", "emoji 🫖", "tab\there", "ends with '",
    ]

    static let tables: [String: [ODataEntity]] = [
        "Customers": customers, "Orders": orders, "OrderLines": lines, "Products": products,
    ]

    private static let customers: [ODataEntity] = ["ALFKI", "BLAU S", "O'HARA", "ÅNGA/1"].enumerated().map {
        index, id in
        ODataEntity(properties: [
            "CustomerID": .text(id), "Name": .text("Customer \(index + 1)"),
            "Address": .complex([
                "Street": .text("Street \(index + 1)"), "City": .text(index.isMultiple(of: 2) ? "Köln" : "Oslo"),
                "Country": index == 3 ? .null : .text("DE"),
            ]), "Since": .instant(origin - Int64(index) * 240 * hour),
        ])
    }

    private static let orders: [ODataEntity] = (1...12).map { number in
        ODataEntity(properties: [
            "OrderID": .integer(9_007_199_254_740_990 + Int64(number)),
            "CustomerID": customers[number % 4].properties["CustomerID"] ?? .null,
            "Placed": .instant(origin + Int64(number) * hour), "Total": .decimal(Decimal(number) * Decimal(1234) / 100),
            "Note": number.isMultiple(of: 3) ? .null : .text("Note \(number)"),
        ])
    }

    private static let lines: [ODataEntity] = orders.enumerated().flatMap { index, order in
        (1...(index % 3 + 1)).map { position in
            ODataEntity(properties: [
                "OrderID": order.properties["OrderID"] ?? .null, "Position": .integer(Int64(position)),
                "ProductID": .integer(Int64((index + position) % names.count + 1)),
                "Quantity": .decimal(Decimal(position) + Decimal(5) / 10),
            ])
        }
    }

    private static let products: [ODataEntity] = names.enumerated().map { index, name in
        let number = Int64(index + 1)
        return ODataEntity(
            properties: [
                "ProductID": .integer(number), "Name": .text(name),
                // More digits than a double has.
                "Price": .decimal((Decimal(string: "12345678901234567.89") ?? 0) + Decimal(index)),
                "IsSold": .flag(index.isMultiple(of: 2)),
                "Code": .guid("0f8fad5b-d9cb-469f-a165-7086772895\(number + 10)"),
                "Stock": .integer(9_223_372_036_854_775_000 + number), "Shelf": .integer(-number * 100),
                "Grade": .integer(number * 20), "Trend": .integer(-number), "Weight": .double(Double(number) * 0.1),
                "Rating": .double(Double(number) / 2), "Digest": .binary([0, 0xFF, UInt8(number)]),
                "Released": .instant(origin + number * 24 * hour), "Packed": .instant(origin + number * hour + 123),
                "Changed": .instant(origin + number * hour, offset: 60), "Opens": .span(7 * hour + number * 60_000),
                "Lasts": .span(number * 25 * hour + 1500),
                "Remark": index.isMultiple(of: 4) ? .null : .text("Remark \(number)"),
            ],
            media: .init(type: "image/png", bytes: [0x89, 0x50, 0x4E, 0x47] + (0..<100).map { UInt8($0) }))
    }

    /// A generated row.
    static func row(_ index: Int) -> ODataEntity {
        let number = Int64(index)
        return ODataEntity(properties: [
            "ID": .integer(number), "Name": .text("Row \(index) — ünïcödé"),
            "Amount": .decimal(Decimal(number) + Decimal(25) / 100), "Changed": .instant(origin + number * 1000),
            "IsOdd": .flag(!index.isMultiple(of: 2)),
        ])
    }
}
