"""What Schemathesis sends and Tern refuses by decision: an integer is written without fraction ("1.0" is none)."""
import schemathesis


def without_fractions(value):
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, list):
        return [without_fractions(item) for item in value]
    if isinstance(value, dict):
        return {key: without_fractions(item) for key, item in value.items()}
    return value


@schemathesis.hook
def map_body(context, body):
    return without_fractions(body)
