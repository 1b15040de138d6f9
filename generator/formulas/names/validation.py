"""Names of the section "Predicted against measured": name, symbol, unit, meaning."""

SECTION = "Predicted against measured"
ROWS = r"""
measurements_counted            | n_m                        | count     | measurements that a family of predictions is compared with
prediction_error_median         | \tilde e                   | 1         | median error of predictions, as a share of the measured value
prediction_error_p90            | e_{90}                     | 1         | error that nine of ten predictions stay below, as a share of the measured value
prediction_bias                 | e_\pm                      | 1         | median signed error of predictions, above zero if too much is predicted
band_share                      | \phi_{80}                  | 1         | share of the measurements inside the 80 % band of their prediction
reference_error_median          | \tilde e_r                 | 1         | median error of the reference model, as a share of the measured value
"""
