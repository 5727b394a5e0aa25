import HttpConvPlatform

/// Writes decimals without an exponent, because some services do not know exponents.
enum DecimalText {
    static func text(_ number: Decimal) throws(ODataError) -> String {
        guard number.isFinite else {
            throw ODataError(.invalidRequest, "A Decimal value is NaN, which OData cannot carry: nothing was sent.")
        }
        // `description` never has an exponent.
        return number.description
    }
}
