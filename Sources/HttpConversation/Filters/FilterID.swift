/// Ids for what is added without one.
enum FilterID {
    /// The name of the element's type; with a number after it the first that nobody has.
    static func free(for element: Any, among ids: [String]) -> String {
        let name = String(reflecting: type(of: element))
        var number = 1
        var id = name
        while ids.contains(id) {
            number += 1
            id = "\(name) \(number)"
        }
        return id
    }
}
